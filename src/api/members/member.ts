import Type from 'typebox'
import type { Trx } from '../../db/db.ts'
import { arrayOf, Computed, projection } from '../../db/projection.ts'
import { oneOfIds, raw, type Sql, sql } from '../../db/sql.ts'
import { type Actor, witness } from '../../http/auth.ts'
import { ApiError } from '../../http/errors.ts'
import { type Permission, permissions } from '../../http/permissions.ts'
import { Nullable, NullableDateTime, NullableString, OneOf, Resource, Uuid } from '../../http/schema.ts'

/** Contract, section 2. */
export const roles = ['owner', 'admin', 'manager', 'field_supervisor', 'field_team_member', 'member', 'viewer', 'custom'] as const
export type Role = (typeof roles)[number]

export const Member = Resource('Member', {
  memberId: Computed(Uuid),
  userId: Uuid,
  firstName: NullableString,
  lastName: NullableString,
  email: NullableString,
  avatarUrl: NullableString,
  isActive: Computed(Type.Boolean({ description: 'Joined and not deactivated.' })),
  joinedAt: NullableDateTime,
  memberType: OneOf(['internal', 'external']),
  role: OneOf(roles),
  permissions: Type.Array(OneOf(permissions)),
  departments: Computed(
    Type.Array(Type.Object({ id: Uuid, name: NullableString }), { description: 'Those that are not archived, oldest first.' }),
  ),
})

const Department = Type.Object({ id: Uuid, name: Nullable(Type.String()) })

/** A member under the alias `m`. */
export const memberRow = projection(Member, 'm', {
  memberId: sql`'"' || m.id || '"'`,
  isActive: sql`(m.joined_at is not null and m.deactivated_at is null)::text`,
  departments: arrayOf(
    projection(Department, 'd'),
    sql`from department_members l
      join departments d on d.organization_id = l.organization_id and d.id = l.department_id and d.archived_at is null
      where l.organization_id = m.organization_id and l.member_id = m.id order by d.created_at, d.id`,
  ),
})

/** The member that an id names: its own, or its user's (docs/decisions.md, "Members"). */
export const namedBy = (id: string): Sql => sql`(m.id = ${id} or m.user_id = ${id})`

/** The same as a subquery of one row, for a statement that needs more of the member. */
export const memberNamed = (organizationId: string, id: string): Sql =>
  sql`select m.* from members m where m.organization_id = ${organizationId} and ${namedBy(id)} order by m.id = ${id} desc limit 1`

/** A filter: `column` is one of the members that any of `ids` names; an id that is no UUID names nobody. */
export const memberIn = (column: string, organizationId: string, ids: readonly string[]): Sql =>
  sql`${raw(column)} in (select m.id from members m
    where m.organization_id = ${organizationId} and (${oneOfIds('m.id', ids)} or ${oneOfIds('m.user_id', ids)}))`

/** SQL that yields a wrong reference (src/api/references.ts) unless `id` names a member; nothing for an id not given. */
export function memberReference(field: string, organizationId: string, id: string | undefined): Sql | undefined {
  if (id === undefined) return undefined
  return sql`select ${field}::text as field, 'unknown'::text as code, null::uuid as "userId"
    where not exists (${memberNamed(organizationId, id)})`
}

export type MemberRecord = {
  id: string
  userId: string
  role: Role
  permissions: Permission[]
  joinedAt: Date | null
  deactivatedAt: Date | null
}

/**
 * The member that `id` names, locked together with every owner: whoever changes one of them waits for the others, so the
 * last owner stays the last one also when two requests race. Throws 404.
 */
export async function lockMember(trx: Trx, actor: Actor, id: string): Promise<MemberRecord & { isLastOwner: boolean }> {
  const [rows, [caller]] = await Promise.all([
    trx.rows<MemberRecord & { named: boolean }>(sql`
      select m.id, m.user_id as "userId", m.role, m.permissions::text[] as permissions, m.joined_at as "joinedAt",
        m.deactivated_at as "deactivatedAt", ${namedBy(id)} as named
      from members m where m.organization_id = ${actor.organizationId} and (${namedBy(id)} or m.role = 'owner')
      order by m.id for no key update`),
    trx.rows<{ stamp: string | null }>(sql`select (${witness(actor)}) as stamp`),
  ])
  // Whoever held the lock may have changed the caller. Like any serialization failure, that starts the write over.
  if (caller!.stamp !== actor.stamp) throw Object.assign(new Error('the caller was changed meanwhile'), { code: '40001' })
  const member = rows.find((row) => row.id === id.toLowerCase()) ?? rows.find(({ named }) => named)
  if (!member) throw new ApiError('member_not_found')
  const owners = rows.filter(isActiveOwner)
  return { ...member, isLastOwner: owners.length === 1 && owners[0]!.id === member.id }
}

const isActiveOwner = ({ role, joinedAt, deactivatedAt }: MemberRecord): boolean =>
  role === 'owner' && joinedAt !== null && deactivatedAt === null

/** Throws 403 unless the actor outranks the member; owners may change anyone (docs/decisions.md, "Members"). */
export function refuseUnlessOutranked(actor: Pick<Actor, 'role'>, member: { role: Role }): void {
  if (actor.role !== 'owner' && rank[member.role] >= rank[actor.role as Role]) throw new ApiError('member_outranks_you')
}

const without = (...left: Permission[]): Permission[] => permissions.filter((permission) => !left.includes(permission))

/** What a role may do unless told otherwise (docs/decisions.md, "Credentials and permissions"). */
export const roleDefaults: Record<Role, readonly Permission[]> = {
  owner: permissions,
  admin: permissions,
  manager: without('account_admin', 'manage_organization', 'delete_users', 'manage_payments'),
  member: [
    'view_dashboard',
    'private_code',
    'view_tasks',
    'modify_tasks',
    'view_task_templates',
    'view_devices',
    'control_device',
    'view_properties',
    'modify_properties',
    'view_reservations',
    'modify_reservations',
    'view_guides',
    'modify_guides',
    'view_organization',
    'view_users',
    'view_lock_code',
    'view_event',
    'view_inbox',
    'manage_inbox',
    'view_shifts',
  ],
  field_supervisor: [
    'view_dashboard',
    'private_code',
    'view_tasks',
    'modify_tasks',
    'view_task_templates',
    'view_devices',
    'control_device',
    'view_properties',
    'modify_properties',
    'view_reservations',
    'view_guides',
    'view_organization',
    'view_users',
    'view_lock_code',
    'view_shifts',
    'manage_shifts',
    'approve_time_entries',
  ],
  field_team_member: [
    'view_dashboard',
    'view_tasks',
    'modify_tasks',
    'view_task_templates',
    'view_properties',
    'view_reservations',
    'view_guides',
    'view_organization',
    'view_shifts',
  ],
  viewer: [
    'view_dashboard',
    'view_tasks',
    'view_task_templates',
    'view_devices',
    'view_properties',
    'view_reservations',
    'view_guides',
    'view_organization',
    'view_users',
    'view_event',
    'view_analytics',
    'view_shifts',
  ],
  custom: [],
}

/** Higher outranks lower; manager and custom stand side by side. */
export const rank: Record<Role, number> = {
  owner: 7,
  admin: 6,
  manager: 5,
  custom: 5,
  member: 4,
  field_supervisor: 3,
  field_team_member: 2,
  viewer: 1,
}
