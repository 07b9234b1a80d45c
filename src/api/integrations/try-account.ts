import { type Connections, ProviderError, type ProviderErrorCode } from '../../providers/provider.ts'
import { limited, signalFor } from '../devices/limit.ts'

export type Tried = { ok: boolean; error: { code: ProviderErrorCode | 'not_connected'; message: string } | null }

/** Asks the provider whether the account can be used, for `limit` milliseconds at most. */
export async function tryAccount(
  connections: Connections,
  { organizationId, accountId }: { organizationId: string; accountId: string },
  limit: number,
): Promise<Tried> {
  const connection = await connections.of(organizationId, accountId)
  if (!connection)
    return { ok: false, error: { code: 'not_connected', message: 'The account has no settings that can be used.' } }
  try {
    await limited(signalFor(limit), (call) => connection.check(call))
    return { ok: true, error: null }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { ok: false, error: { code: error.code, message: error.message } }
  }
}
