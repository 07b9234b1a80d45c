import type { Json, JsonPage, JsonParts } from '../db/db.ts'
import { csvHead, csvLines, csvType } from './csv.ts'
import type { Table } from './endpoint.ts'
import { dataText, success } from './envelope.ts'

type Answer = Json<unknown> | JsonPage<unknown> | JsonParts<unknown> | object
type Written = { text: string | AsyncIterable<string>; contentType?: string }

/** What stands before, between and after the parts of an array, and how a part is written. */
type Form = { open: string; between: string; close: string; write: (items: string) => string; contentType?: string }

const jsonForm = (requestId: string): Form => {
  const [open, close] = success('[|]', requestId).split('|') as [string, string]
  return { open, between: ',', close, write: (items) => items }
}

const csvForm = (table: Table<unknown>): Form => ({
  open: csvHead(table),
  between: '',
  close: '',
  write: (items) => csvLines(table, JSON.parse(`[${items}]`)),
  contentType: csvType,
})

/**
 * The answer of a read as it is sent: the envelope, or CSV where a `table` is asked for. Of an answer in several parts only
 * the first is read here, while an error can still be said; the others when the client has taken those before, and each
 * must be `confirmed`, or the answer breaks off.
 */
export async function written(
  answer: Answer,
  requestId: string,
  table: Table<unknown> | undefined,
  confirmed: () => Promise<boolean>,
): Promise<Written> {
  if (!('parts' in answer)) {
    if (table) return { text: csvHead(table) + csvLines(table, JSON.parse(dataText(answer))), contentType: csvType }
    return { text: success(dataText(answer), requestId, (answer as Partial<JsonPage<unknown>>).pagination) }
  }
  const { contentType, ...form } = table ? csvForm(table) : jsonForm(requestId)
  const [first, ...rest] = (answer as JsonParts<unknown>).parts
  const start = await first!()
  const text = rest.length === 0 ? form.open + form.write(start) + form.close : inFull(form, start, rest, confirmed)
  return { text, ...(contentType ? { contentType } : {}) }
}

async function* inFull(form: Form, start: string, rest: JsonParts<unknown>['parts'], confirmed: () => Promise<boolean>) {
  let between = start === '' ? '' : form.between
  yield form.open + form.write(start)
  for (const part of rest) {
    const items = await part()
    if (!(await confirmed())) throw new Error('the rights of the caller changed while a long answer was sent')
    if (items === '') continue
    yield between + form.write(items)
    between = form.between
  }
  if (form.close) yield form.close
}
