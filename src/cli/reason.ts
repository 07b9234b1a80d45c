type Failure = Error & { code?: string; errors?: unknown[] }

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']

/** Why a command failed, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, errors } = error as Failure
  // A host with several addresses fails once for each; the first says enough.
  if (error.message === '' && errors?.length) return reasonOf(errors[0])
  const message = error.message.split('\n')[0]!.trim() || error.name
  return unreachable.includes(code ?? '') ? `the database cannot be reached: ${message}` : message
}
