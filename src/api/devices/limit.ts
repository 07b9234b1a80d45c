import { type Call, ProviderError } from '../../providers/provider.ts'

/** Of the limit, what is left for the provider's code to give up by itself, and for the answer to be stored (milliseconds). */
const graceOf = (limit: number): number => Math.min(200, limit / 5)

/** A signal that leaves time to answer within `limit` milliseconds. */
export const signalFor = (limit: number): AbortSignal => AbortSignal.timeout(Math.ceil(limit - graceOf(limit)))

/**
 * Calls a provider. Its code ends by the signal; where it does not, this ends a moment later all the same, with what `late`
 * says (ProviderError `timeout` unless given), and whatever the code does afterwards counts for nothing.
 */
export async function limited<T>(signal: AbortSignal, ask: (call: Call) => Promise<T>, late: () => T = timeout): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const giveUpLate = new Promise<T>((resolve, reject) => {
    const giveUp = () => {
      timer = setTimeout(() => new Promise<T>((done) => done(late())).then(resolve, reject), 50)
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([ask({ signal }), giveUpLate])
  } catch (error) {
    // Libraries end a call by its signal in words of their own.
    if (signal.aborted && !(error instanceof ProviderError)) return late()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const timeout = (): never => {
  throw new ProviderError('timeout', 'The provider did not answer in time.')
}
