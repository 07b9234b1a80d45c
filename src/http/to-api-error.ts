import type { FastifyError } from 'fastify'
import { isUnavailable } from '../db/db.ts'
import { ApiError, type Issue, invalidRequest } from './errors.ts'

/** Any failure as the API says it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return new ApiError('database_unavailable')
  const { code, statusCode, message } = error as FastifyError
  if (typeof code === 'string' && code.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
    const issue: Issue = { path: 'body', code: code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 'too_large' : 'malformed', message }
    return invalidRequest([issue])
  }
  return new ApiError('internal')
}
