import type { Database } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { Connection, Connections, Provider, ProviderName, Surroundings } from '../../providers/provider.ts'
import { decrypt, type Owner } from './credentials.ts'

export type ConnectionsOptions = {
  database: Database
  providers: Partial<Record<ProviderName, Provider>>
  /** 32 bytes that settings are encrypted under; without it no account can be connected. */
  secret: Buffer | undefined
  /** What a provider may use, for the account it is connected for. */
  surroundings: (organizationId: string, accountId: string) => Surroundings
}

type Kept = { settings: Buffer | null; connection: Connection }

const isSame = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b)

export function connections({ database, providers, secret, surroundings }: ConnectionsOptions): Connections {
  const { db } = database.reader()
  const kept = new Map<string, Kept>()

  async function drop(accountId: string): Promise<void> {
    const old = kept.get(accountId)
    kept.delete(accountId)
    await old?.connection.close()
  }

  /** Undefined where there are none, or none that can be read. A provider that demands none is connected without. */
  function settingsOf(sealed: Buffer | null, provider: Provider, owner: Owner): Record<string, unknown> | undefined {
    if (sealed) return secret && decrypt(sealed, owner, secret)
    const required: readonly string[] = provider.settings.required ?? []
    return required.length === 0 ? {} : undefined
  }

  return {
    async of(organizationId, accountId) {
      const [account] = await db.rows<{ provider: ProviderName; settings: Buffer | null }>(sql`
        select provider, credentials as settings from integration_accounts
        where organization_id = ${organizationId} and id = ${accountId}`)
      const known = kept.get(accountId)
      if (known && account && isSame(account.settings, known.settings)) return known.connection
      await drop(accountId)
      const provider = account && providers[account.provider]
      if (!provider) return undefined
      const settings = settingsOf(account.settings, provider, { organizationId, accountId })
      if (!settings) return undefined
      const connection = provider.connect(settings, surroundings(organizationId, accountId))
      kept.set(accountId, { settings: account.settings, connection })
      return connection
    },
    async close() {
      await Promise.all([...kept.keys()].map(drop))
    },
  }
}
