import { createHash, randomBytes } from 'node:crypto'
import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { Permission } from '../../http/permissions.ts'

export type NewKey = {
  organizationId: string
  /** Whom the key acts as: it works only while this member is active. */
  memberId: string
  /** What the key may do is these ∩ the member's, at every request. */
  permissions: readonly Permission[]
  name?: string | undefined
  /** Requests a minute; the service's own limit where there is none. */
  rateLimit?: number | undefined
  expiresAt?: Date | undefined
  /** The key's text, where it is already decided; new and random unless given. */
  key?: string
}

/** `sk_live_` or `sk_test_` and 48 random characters, 192 bits. */
export const newKey = (kind: 'live' | 'test'): string => `sk_${kind}_${randomBytes(24).toString('hex')}`

/** Stores a key's digest and answers the key: this is the one moment at which it can be read. */
export async function createKey(trx: Trx, given: NewKey): Promise<{ id: string; key: string }> {
  const { organizationId, memberId, permissions, name = null, rateLimit = null, expiresAt = null, key = newKey('live') } = given
  const id = v7()
  await trx.run(sql`
    insert into api_keys (id, digest, organization_id, member_id, name, permissions, rate_limit, expires_at)
    values (${id}, ${digestOf(key)}, ${organizationId}, ${memberId}, ${name}, ${permissions}, ${rateLimit}, ${expiresAt})`)
  return { id, key }
}

/** Refused from the very next request on. False where the key was revoked already, or there is none. */
export async function revokeKey(trx: Trx, organizationId: string, id: string): Promise<boolean> {
  const revoked = await trx.run(sql`
    update api_keys set revoked_at = now() where organization_id = ${organizationId} and id = ${id} and revoked_at is null`)
  return revoked > 0
}

export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()
