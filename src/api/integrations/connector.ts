import type { Connection, Provider } from '../../providers/provider.ts'
import { sane } from '../../providers/sane.ts'
import type { ConnectionsOptions } from './connections.ts'
import { decrypt, type Owner } from './credentials.ts'

/** The same account id may stand in two organizations: an import keeps ids. */
export const keyOf = ({ organizationId, accountId }: Owner): string => `${organizationId}/${accountId}`

export const isSame = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b)

type Options = Pick<ConnectionsOptions, 'secret' | 'surroundings' | 'onUnusable'>

/**
 * What connects an account with its settings as they are stored. One whose settings are missing, cannot be read or cannot be
 * connected with is undefined, so that nothing else fails with it; the last two are told of, once until the settings change.
 */
export function connector({ secret, surroundings, onUnusable }: Options) {
  const told = new Map<string, Buffer | null>()

  return (sealed: Buffer | null, provider: Provider, owner: Owner): Connection | undefined => {
    const key = keyOf(owner)
    try {
      const settings = settingsOf(sealed, provider, owner, secret)
      if (!settings) return undefined
      const connection = connect(provider, settings, surroundings(owner.organizationId, owner.accountId))
      told.delete(key)
      return connection
    } catch (error) {
      if (!told.has(key) || !isSame(told.get(key)!, sealed)) onUnusable?.(error as Error, owner.accountId)
      told.set(key, sealed)
      return undefined
    }
  }
}

/** Undefined where there are none. A provider that demands none is connected without. */
function settingsOf(
  sealed: Buffer | null,
  provider: Provider,
  owner: Owner,
  secret: Buffer | undefined,
): Record<string, unknown> | undefined {
  const required: readonly string[] = provider.settings.required ?? []
  if (!sealed) return required.length === 0 ? {} : undefined
  if (!secret) throw new Error('There is no STEWARD_ENCRYPTION_KEY to decrypt the settings with.')
  try {
    return decrypt(sealed, owner, secret)
  } catch {
    throw new Error('STEWARD_ENCRYPTION_KEY is another than the settings were encrypted under.')
  }
}

function connect(provider: Provider, settings: Record<string, unknown>, around: Parameters<Provider['connect']>[1]): Connection {
  try {
    return sane(provider.connect(settings, around))
  } catch (error) {
    // What a library says of settings may quote them.
    throw new Error(`The provider ${provider.name} cannot be connected with these settings (${(error as Error).name}).`)
  }
}
