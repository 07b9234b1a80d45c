import { ProviderError, type ProviderErrorCode } from '../provider.ts'

/** What the client library throws: its own errors, and those of its HTTP client where Seam did not answer in JSON. */
type Thrown = {
  name?: string
  message?: string
  /** Of an error that Seam answered: its type; else of the network: ECONNREFUSED, ERR_CANCELED, … */
  code?: string
  statusCode?: number
  response?: Answer
  cause?: Thrown
}
type Answer = { status?: number; headers?: { get?: (name: string) => unknown } & Record<string, unknown> }

/** With these nothing reached Seam: no address, no listener, or no trust in who answered. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|ERR_INVALID_URL)$/

/**
 * Whether a movement may be under way although its request failed. Only a refused connection and an answer below 500 say that it
 * is not: any gateway in between answers 5xx to a request that it has passed on.
 */
export function mayHaveMoved(error: unknown): boolean {
  if (error instanceof ProviderError) return false
  const status = statusOf(error as Thrown)
  if (status !== undefined) return status < 400 || status >= 500
  return !codesOf(error as Thrown).some((code) => neverSent.test(code))
}

/** Nothing of the original is kept but Seam's words: it holds the request, and that holds the API key. */
export function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  const thrown = error as Thrown
  const status = statusOf(thrown)
  if (status === undefined) return networkError(thrown)
  if (status === 401 || status === 403) return new ProviderError('auth_failed', 'Seam refused the API key.')
  if (status === 429)
    return new ProviderError('rate_limited', 'Seam asks for fewer requests.', { retryAfter: retryAfterOf(thrown) })
  if (status === 404 && thrown.code?.endsWith('_not_found'))
    return new ProviderError('device_not_found', `Seam knows no such device: ${wordsOf(thrown)}`)
  if (status === 400 && thrown.statusCode) return new ProviderError('rejected', `Seam refused: ${wordsOf(thrown)}`)
  if (status >= 500) return new ProviderError('unavailable', `Seam answered ${status}.`, { retryAfter: retryAfterOf(thrown) })
  return new ProviderError('bad_response', `Seam answered ${status}.`)
}

/** Why an action attempt ended in an error. Seam's list of types grows, so that they are told by the words in them. */
export function attemptError({ type, message }: { type: string; message: string }): { code: ProviderErrorCode; message: string } {
  const code = ((): ProviderErrorCode => {
    if (/jam/i.test(type) || /jammed/i.test(message)) return 'jammed'
    if (/offline|disconnected|not_connected|unreachable/i.test(type)) return 'device_offline'
    if (/unsupported|not_supported/i.test(type)) return 'unsupported'
    return 'rejected'
  })()
  return { code, message: `Seam reports: ${message.slice(0, 300)}` }
}

function networkError(thrown: Thrown): ProviderError {
  const codes = codesOf(thrown)
  if (codes.includes('ERR_CANCELED') || thrown.name === 'AbortError' || thrown.name === 'CanceledError')
    return new ProviderError('timeout', 'Seam did not answer in time.')
  if (thrown.name === 'SeamHttpInvalidResponseError')
    return new ProviderError('bad_response', 'Seam answered something that cannot be read.')
  if (codes.length === 0) return new ProviderError('bad_response', 'Seam answered something that cannot be read.')
  return new ProviderError('unavailable', `Seam cannot be reached (${codes.at(-1)}).`)
}

function statusOf(thrown: Thrown): number | undefined {
  return thrown.statusCode ?? thrown.response?.status ?? undefined
}

function codesOf(thrown: Thrown | undefined): string[] {
  return thrown && typeof thrown === 'object'
    ? [...(typeof thrown.code === 'string' ? [thrown.code] : []), ...codesOf(thrown.cause)]
    : []
}

const wordsOf = (thrown: Thrown): string => (thrown.message ?? '').slice(0, 300)

/** The header in milliseconds; it holds seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf(thrown: Thrown): number | undefined {
  const header = (thrown.response ?? thrown.cause?.response)?.headers?.['retry-after']
  if (typeof header !== 'string') return undefined
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined
}
