import { v7 } from 'uuid'
import type { Json, JsonPage, Pagination } from '../db/db.ts'
import { type ApiError, errorTypes } from './errors.ts'

/** `req_` and a time-sortable id (UUID v7 without dashes). */
export const requestId = (): string => `req_${v7().replaceAll('-', '')}`

type Answer = Json<unknown> | JsonPage<unknown> | object

/** The JSON of `data`. Text from the database is taken as it is. */
export function dataText(answer: Answer): string {
  if ('items' in answer && 'pagination' in answer) return (answer as JsonPage<unknown>).items
  return 'text' in answer ? (answer as Json<unknown>).text : JSON.stringify(answer)
}

/** Contract, section 4: `{ data, meta }`. */
export function success(data: string, id: string, pagination?: Pagination): string {
  if (!pagination) return `{"data":${data},"meta":{"requestId":"${id}"}}`
  const { limit, offset, total } = pagination
  return `{"data":${data},"meta":{"requestId":"${id}","pagination":{"limit":${limit},"offset":${offset},"total":${total}}}}`
}

/** The JSON of `error`: `{ type, code, message, details? }`. */
export function errorText({ status, code, message, details }: ApiError): string {
  return JSON.stringify({ type: errorTypes[status], code, message, details })
}

/** Contract, section 7: `{ error, meta }`. */
export function failure(error: string, id: string): string {
  return `{"error":${error},"meta":{"requestId":"${id}"}}`
}
