import type { Trx } from '../db/db.ts'
import { isUuid, join, raw, type Sql, sql } from '../db/sql.ts'
import { ApiError } from '../http/errors.ts'

/** A field of a body that names something which cannot be meant. `userId` is set where a member id stood for a user id. */
export type WrongReference = { field: string; code: 'unknown' | 'member_id' | 'not_assignable'; userId: string | null }

type Table =
  | 'departments'
  | 'properties'
  | 'property_groups'
  | 'reservations'
  | 'tasks'
  | 'task_templates'
  | 'devices'
  | 'guests'
  | 'members'
  | 'break_definitions'
  | 'time_entries'
  | 'portals'

/** SQL that yields a `WrongReference` row unless `id` is a row of `table` in the organization; nothing for an id not given. */
export function reference(field: string, table: Table, organizationId: string, id: string | null | undefined): Sql | undefined {
  if (id === null || id === undefined) return undefined
  if (!isUuid(id)) return wrong(field)
  return sql`select ${field}::text as field, 'unknown'::text as code, null::uuid as "userId"
    where not exists (select from ${raw(table)} where organization_id = ${organizationId} and id = ${id})`
}

/**
 * The same for a user id that is to be given work: the user must be an assignable member, which is one who is active, or
 * invited and not external (docs/decisions.md, "Members"). A member id in its place is told apart and names the user meant.
 */
export function assignable(field: string, organizationId: string, userId: string | null | undefined): Sql | undefined {
  if (userId === null || userId === undefined) return undefined
  if (!isUuid(userId)) return wrong(field)
  return sql`select ${field}::text as field,
      case when m.user_id is null then 'unknown' when m.user_id <> ${userId} then 'member_id' else 'not_assignable' end as code,
      case when m.user_id <> ${userId} then m.user_id end as "userId"
    from (select) one left join lateral (
      select m.* from members m where m.organization_id = ${organizationId} and (m.user_id = ${userId} or m.id = ${userId})
      order by m.user_id = ${userId} desc limit 1) m on true
    where (m.user_id = ${userId} and m.deactivated_at is null and (m.joined_at is not null or m.member_type <> 'external')) is not true`
}

/**
 * SQL that yields a `WrongReference` row for each of `collaborators` that is no user id of an assignable member, with the
 * rules of `assignable`; one statement text whatever their number. `already` are those who need no check.
 */
export function assignableEach(organizationId: string, collaborators: readonly string[], already: readonly string[] = []): Sql {
  const given = collaborators.map((id) => (isUuid(id) ? id : null))
  return sql`select 'collaborators.' || (c.place - 1) as field,
      case when m.user_id is null then 'unknown' when m.user_id <> c.id then 'member_id' else 'not_assignable' end as code,
      case when m.user_id <> c.id then m.user_id end as "userId"
    from unnest(${given}::uuid[]) with ordinality c (id, place)
    left join lateral (
      select * from members where organization_id = ${organizationId} and (user_id = c.id or id = c.id)
      order by user_id = c.id desc limit 1) m on true
    where (m.user_id = c.id and m.deactivated_at is null and (m.joined_at is not null or m.member_type <> 'external')) is not true
      and (c.id = any(${already}::uuid[])) is not true`
}

const wrong = (field: string): Sql => sql`select ${field}::text as field, 'unknown'::text as code, null::uuid as "userId"`

/** All wrong references in one query, for a statement that must do nothing when there is one; yields no row where all are right. */
export function wrongReferences(references: readonly (Sql | undefined)[]): Sql {
  const given = references.filter((one) => one !== undefined)
  return given.length > 0
    ? join(given, ' union all ')
    : sql`select null::text as field, null::text as code, null::uuid as "userId" where false`
}

/** Throws 422 that names every wrong reference at once; `details.field` is the first. */
export function refuseWrong(found: readonly WrongReference[] | null): void {
  if (!found || found.length === 0) return
  const fields = found.map(({ field, code, userId }) => ({ field, code, ...(userId ? { userId } : {}) }))
  throw new ApiError('invalid_reference', { ...fields[0], fields })
}

/** Checks references in one round trip. A write that can should rather check in its own statement, with `wrongReferences`. */
export async function checkReferences(trx: Trx, references: readonly (Sql | undefined)[]): Promise<void> {
  if (references.some((one) => one !== undefined)) refuseWrong(await trx.rows<WrongReference>(wrongReferences(references)))
}
