import { setTimeout as delay } from 'node:timers/promises'
import type { TObject, TSchema } from 'typebox'
import type { Database } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import { checker } from '../../http/validate.ts'
import type { Connection, Connections, Provider, ProviderName, Surroundings } from '../../providers/provider.ts'
import { connector, isSame, keyOf } from './connector.ts'
import { encrypt } from './credentials.ts'

export type ConnectionsOptions = {
  database: Database
  providers: Partial<Record<ProviderName, Provider>>
  /** 32 bytes that settings are encrypted under; without it no account can be connected. */
  secret: Buffer | undefined
  /** What a provider may use, for the account it is connected for. */
  surroundings: (organizationId: string, accountId: string) => Surroundings
  /** Told of settings that cannot be decrypted or connected with, once until they change. The error holds none of them. */
  onUnusable?: (error: Error, accountId: string) => void
  /** Told of a connection that could not be closed: nothing else hangs on it. */
  onCloseFailed?: (error: Error, accountId: string) => void
}

/** Unknown settings are refused, also by a provider whose schema forgot to. */
const closed = (schema: TObject): TSchema => ({ ...schema, additionalProperties: false })

/** `lookedUp` counts the look-ups: a connection is replaced only by what a later one found. */
type Kept = { settings: Buffer | null; connection: Connection; lookedUp: number; accountId: string }

/** Milliseconds that the service, when it stops, waits for connections to close. */
const patience = 2_000

export function connections(options: ConnectionsOptions): Connections {
  const { database, providers, secret, onCloseFailed } = options
  const { db } = database.reader()
  const kept = new Map<string, Kept>()
  const closing = new Set<Promise<void>>()
  const connect = connector(options)
  let lookUps = 0

  /** Nobody waits for it but a service that stops: a provider that hangs would hold up whoever needs the account next. */
  function drop(key: string): void {
    const old = kept.get(key)
    if (!old) return
    kept.delete(key)
    const closed = new Promise<void>((resolve) => resolve(old.connection.close()))
      .catch((error: Error) => onCloseFailed?.(error, old.accountId))
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }

  return {
    async of(organizationId, anyCase) {
      const accountId = anyCase.toLowerCase()
      const key = keyOf({ organizationId, accountId })
      const lookedUp = ++lookUps
      const [account] = await db.rows<{ provider: ProviderName; settings: Buffer | null }>(sql`
        select provider, credentials as settings from integration_accounts
        where organization_id = ${organizationId} and id = ${accountId}`)
      // From here on nothing is waited for, so that two who look at once connect once.
      const known = kept.get(key)
      if (known && ((account && isSame(account.settings, known.settings)) || known.lookedUp > lookedUp)) return known.connection
      drop(key)
      const provider = account && providers[account.provider]
      const connection = provider && connect(account.settings, provider, { organizationId, accountId })
      if (connection) kept.set(key, { settings: account.settings, connection, lookedUp, accountId })
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
      for (const key of kept.keys()) drop(key)
      const enough = new AbortController()
      await Promise.race([Promise.all(closing), delay(patience, undefined, enough).catch(() => {})])
      enough.abort()
    },
  }
}
