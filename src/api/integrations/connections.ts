import type { TObject, TSchema } from 'typebox'
import type { Database } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import { checker } from '../../http/validate.ts'
import type { Connection, Connections, Provider, ProviderName, Surroundings } from '../../providers/provider.ts'
import { sane } from '../../providers/sane.ts'
import { decrypt, encrypt, type Owner } from './credentials.ts'

export type ConnectionsOptions = {
  database: Database
  providers: Partial<Record<ProviderName, Provider>>
  /** 32 bytes that settings are encrypted under; without it no account can be connected. */
  secret: Buffer | undefined
  /** What a provider may use, for the account it is connected for. */
  surroundings: (organizationId: string, accountId: string) => Surroundings
  /** Told of settings that cannot be decrypted, once until they change. */
  onUnreadable?: (error: Error, accountId: string) => void
}

/** Unknown settings are refused, also by a provider whose schema forgot to. */
const closed = (schema: TObject): TSchema => ({ ...schema, additionalProperties: false })

/** The same account id may stand in two organizations: an import keeps ids. */
const keyOf = ({ organizationId, accountId }: Owner): string => `${organizationId}/${accountId}`

type Kept = { settings: Buffer | null; connection: Connection }

const isSame = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b)

export function connections({ database, providers, secret, surroundings, onUnreadable }: ConnectionsOptions): Connections {
  const { db } = database.reader()
  const kept = new Map<string, Kept>()
  const told = new Map<string, Buffer>()

  async function drop(key: string): Promise<void> {
    const old = kept.get(key)
    kept.delete(key)
    await old?.connection.close()
  }

  /** Undefined where there are none, or none that can be read. A provider that demands none is connected without. */
  function settingsOf(sealed: Buffer | null, provider: Provider, owner: Owner): Record<string, unknown> | undefined {
    if (sealed) return open(sealed, owner)
    const required: readonly string[] = provider.settings.required ?? []
    return required.length === 0 ? {} : undefined
  }

  /** An account whose settings cannot be read is one that is not connected: nothing else fails with it. */
  function open(sealed: Buffer, owner: Owner): Record<string, unknown> | undefined {
    try {
      if (!secret) throw new Error('There is no STEWARD_ENCRYPTION_KEY to decrypt the settings with.')
      return decrypt(sealed, owner, secret)
    } catch (error) {
      const key = keyOf(owner)
      if (!told.get(key)?.equals(sealed)) onUnreadable?.(error as Error, owner.accountId)
      told.set(key, sealed)
      return undefined
    }
  }

  return {
    async of(organizationId, anyCase) {
      const accountId = anyCase.toLowerCase()
      const key = keyOf({ organizationId, accountId })
      const [account] = await db.rows<{ provider: ProviderName; settings: Buffer | null }>(sql`
        select provider, credentials as settings from integration_accounts
        where organization_id = ${organizationId} and id = ${accountId}`)
      const known = kept.get(key)
      if (known && account && isSame(account.settings, known.settings)) return known.connection
      await drop(key)
      const provider = account && providers[account.provider]
      if (!provider) return undefined
      const settings = settingsOf(account.settings, provider, { organizationId, accountId })
      if (!settings) return undefined
      const connection = sane(provider.connect(settings, surroundings(organizationId, accountId)))
      kept.set(key, { settings: account.settings, connection })
      return connection
    },
    seal({ provider: name, ...owner }, settings) {
      const provider = providers[name]
      if (!provider) throw new ApiError('provider_not_connectable', { allowed: Object.keys(providers) })
      const issues = checker(closed(provider.settings), 'body.settings')(settings)
      if (issues.length > 0) throw new ApiError('invalid_settings', { issues })
      if (Object.keys(settings).length === 0) return null
      if (!secret) throw new ApiError('encryption_key_missing')
      return encrypt(settings, owner, secret)
    },
    async close() {
      await Promise.all([...kept.keys()].map(drop))
    },
  }
}
