import { hash } from 'node:crypto'
import type { Database } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import { ApiError } from './errors.ts'
import type { Permission } from './permissions.ts'

/** Who calls: a member of one organization, through an API key. */
export type Actor = {
  readonly organizationId: string
  readonly memberId: string
  readonly userId: string
  readonly role: string
  readonly keyId: string
  /** The key's permissions ∩ the member's. */
  readonly permissions: ReadonlySet<Permission>
  /** The property a new task defaults to, if the key has one. */
  readonly defaultPropertyId: string | null
  /** Requests a minute, where the key has a limit of its own. */
  readonly rateLimit: number | null
  readonly expiresAt: Date | null
  /** Changes whenever the key's row or the member's does; see `witness`. */
  readonly stamp: string
}

/** SHA-256 of the bearer token, in hex: the token itself goes no further. Throws 401 where there is none. */
export function keyDigest(authorization: string | undefined): string {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (!token) throw new ApiError(authorization ? 'credential_invalid' : 'credential_missing')
  return hash('sha256', token, 'hex')
}

export type Actors = {
  /** The actor of a key, from memory where known: what it may do must still be confirmed before an answer leaves. */
  find(digest: string): Promise<Actor | undefined>
  /** The actor as the database has it now. */
  reload(digest: string): Promise<Actor | undefined>
  /** The actor in memory, without a look at the database. */
  known(digest: string): Actor | undefined
  /** Stores when keys were last used, for all that were since the last time. */
  storeUses(): Promise<void>
}

/**
 * Keys are looked up in memory, yet a revoked key is refused from the very next request on every node: each read brings
 * the current `witness` with it in its own statement, and an answer whose witness differs from the actor's stamp is
 * thrown away and worked out again with the actor reloaded.
 */
export function actors(database: Database, clock: () => Date, capacity = 10_000): Actors {
  const memory = new Map<string, Actor>()
  const uses = new Map<string, Date>()
  const { db } = database.reader()

  const usable = (actor: Actor | undefined) => (actor?.expiresAt && actor.expiresAt <= clock() ? undefined : actor)

  async function reload(digest: string): Promise<Actor | undefined> {
    const [row] = await db.rows<Omit<Actor, 'permissions'> & { permissions: Permission[] }>(actorByDigest(digest))
    memory.delete(digest)
    if (!row) return undefined
    const actor = { ...row, permissions: new Set(row.permissions) }
    if (memory.size >= capacity) memory.delete(memory.keys().next().value!)
    memory.set(digest, actor)
    return usable(actor)
  }

  return {
    reload,
    known: (digest) => memory.get(digest),
    async find(digest) {
      const actor = memory.has(digest) ? usable(memory.get(digest)) : await reload(digest)
      if (actor) uses.set(actor.keyId, clock())
      return actor
    },
    async storeUses() {
      if (uses.size === 0) return
      const entries = [...uses]
      uses.clear()
      // Of keys that are in use only: a revoked one is none of its business. In order of id, so that nodes do not deadlock.
      await database.transaction((trx) =>
        trx.run(sql`update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
          from (select k.id, u.at from unnest(${entries.map(([id]) => id)}::uuid[], ${entries.map(([, at]) => at.toISOString())}::timestamptz[]) u (id, at)
            join api_keys k on k.id = u.id where k.revoked_at is null order by k.id for update of k) u
          where k.id = u.id`),
      )
    },
  }
}

// A row's xmin is the transaction that wrote it, so no write can forget to change it.
const stampSql = sql`k.xmin::text || '.' || m.xmin::text`

/** A member acts through a key only while joined and not deactivated. */
const actorByDigest = (digest: string): Sql => sql`
  select k.organization_id as "organizationId", k.member_id as "memberId", m.user_id as "userId", m.role, k.id as "keyId",
    array(select unnest(k.permissions) intersect select unnest(m.permissions)) as permissions,
    k.default_property_id as "defaultPropertyId", k.rate_limit as "rateLimit", k.expires_at as "expiresAt",
    ${stampSql} as stamp
  from api_keys k
  join members m on m.organization_id = k.organization_id and m.id = k.member_id
  where k.digest = decode(${digest}, 'hex') and k.revoked_at is null and m.joined_at is not null and m.deactivated_at is null`

/** The stamp that the actor's key and member have now. */
export const witness = (actor: Actor): Sql => sql`
  select ${stampSql} from api_keys k
  join members m on m.organization_id = k.organization_id and m.id = k.member_id
  where k.id = ${actor.keyId}`
