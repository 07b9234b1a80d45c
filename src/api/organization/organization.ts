import Type from 'typebox'
import { v7 } from 'uuid'
import type { Db, Trx } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { permissions } from '../../http/permissions.ts'
import { DateTime, NullableString, Resource, Uuid } from '../../http/schema.ts'
import { learnWords } from '../search/words.ts'

export const Organization = Resource('Organization', {
  id: Uuid,
  name: Type.String(),
  slug: Type.String(),
  region: Type.String(),
  timezone: NullableString,
  createdAt: DateTime,
})

export type NewOrganization = {
  name: string
  /** Lower-case words joined by hyphens; no other organization's. */
  slug: string
  /** An IANA name, checked with `isTimeZone`. */
  timezone: string
  region: string
  owner: { email: string; firstName?: string | undefined; lastName?: string | undefined }
}

/** An organization with its first member, an active owner. Undefined where the slug is taken. */
export async function createOrganization(
  trx: Trx,
  { name, slug, timezone, region, owner }: NewOrganization,
): Promise<{ id: string; ownerMemberId: string; ownerUserId: string } | undefined> {
  const [id, ownerMemberId, ownerUserId] = [v7(), v7(), v7()]
  const created = await trx.run(sql`
    insert into organizations (id, name, slug, timezone, region) values (${id}, ${name}, ${slug}, ${timezone}, ${region})
    on conflict (slug) do nothing`)
  if (created === 0) return undefined
  await trx.run(sql`insert into users (id) values (${ownerUserId})`)
  await trx.run(sql`
    insert into members (organization_id, id, user_id, first_name, last_name, email, role, permissions, joined_at)
    values (${id}, ${ownerMemberId}, ${ownerUserId}, ${owner.firstName ?? null}, ${owner.lastName ?? null}, ${owner.email},
      'owner', ${permissions}, now())`)
  learnWords(trx, id, owner.firstName, owner.lastName, owner.email)
  return { id, ownerMemberId, ownerUserId }
}

/** A zone that Node.js and PostgreSQL both know by this very name: `Europe/Madrid`, not `europe/madrid` or `+01:00`. */
export async function isTimeZone(db: Db, zone: string): Promise<boolean> {
  const known = await db.rows(sql`select from pg_timezone_names where name = ${zone}`)
  return known.length > 0 && isIntlZone(zone)
}

function isIntlZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}
