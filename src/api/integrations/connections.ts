import { setTimeout as delay } from 'node:timers/promises'
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
  /** Told of settings that cannot be decrypted or connected with, once until they change. The error holds none of them. */
  onUnusable?: (error: Error, accountId: string) => void
  /** Told of a connection that could not be closed: nothing else hangs on it. */
  onCloseFailed?: (error: Error, accountId: string) => void
}

/** Unknown settings are refused, also by a provider whose schema forgot to. */
const closed = (schema: TObject): TSchema => ({ ...schema, additionalProperties: false })

/** The same account id may stand in two organizations: an import keeps ids. */
const keyOf = ({ organizationId, accountId }: Owner): string => `${organizationId}/${accountId}`

/** `lookedUp` counts the look-ups: a connection is replaced only by what a later one found. */
type Kept = { settings: Buffer | null; connection: Connection; lookedUp: number; accountId: string }

/** Milliseconds that the service, when it stops, waits for connections to close. */
const patience = 2_000

const isSame = (a: Buffer | null, b: Buffer | null): boolean => (a && b ? a.equals(b) : a === b)

function opened(sealed: Buffer, owner: Owner, secret: Buffer): Record<string, unknown> {
  try {
    return decrypt(sealed, owner, secret)
  } catch {
    throw new Error('STEWARD_ENCRYPTION_KEY is another than the settings were encrypted under.')
  }
}

export function connections(options: ConnectionsOptions): Connections {
  const { database, providers, secret, surroundings, onUnusable, onCloseFailed } = options
  const { db } = database.reader()
  const kept = new Map<string, Kept>()
  const closing = new Set<Promise<void>>()
  const told = new Map<string, Buffer | null>()
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

  /** Undefined where there are none, or none that can be read. A provider that demands none is connected without. */
  function settingsOf(sealed: Buffer | null, provider: Provider, owner: Owner): Record<string, unknown> | undefined {
    if (sealed && !secret) throw new Error('There is no STEWARD_ENCRYPTION_KEY to decrypt the settings with.')
    if (sealed) return opened(sealed, owner, secret!)
    const required: readonly string[] = provider.settings.required ?? []
    return required.length === 0 ? {} : undefined
  }

  /** An account whose settings cannot be read, or connected with, is one that is not connected: nothing else fails with it. */
  function connect(sealed: Buffer | null, provider: Provider, owner: Owner): Connection | undefined {
    const { organizationId, accountId } = owner
    const key = keyOf(owner)
    const unusable = (error: Error): undefined => {
      if (!told.has(key) || !isSame(told.get(key)!, sealed)) onUnusable?.(error, accountId)
      told.set(key, sealed)
    }
    let settings: Record<string, unknown> | undefined
    try {
      settings = settingsOf(sealed, provider, owner)
    } catch (error) {
      return unusable(error as Error)
    }
    if (!settings) return undefined
    try {
      const connection = sane(provider.connect(settings, surroundings(organizationId, accountId)))
      told.delete(key)
      return connection
    } catch (error) {
      // What a library says of settings may quote them.
      const { name } = error as Error
      return unusable(new Error(`The provider ${provider.name} cannot be connected with these settings (${name}).`))
    }
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
