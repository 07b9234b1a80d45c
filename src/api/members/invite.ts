import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { OneOf, Text, Uuid } from '../../http/schema.ts'
import { refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { learnWords } from '../search/words.ts'
import { Member, memberRow } from './member.ts'
import { type Rights, rightsGiven, rightsInput } from './privilege.ts'

const Cents = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }))
const Links = (description: string) => Type.Optional(Type.Array(Uuid, { maxItems: 200, description }))

const Invitation = Type.Object(
  {
    email: Type.String({
      format: 'email',
      maxLength: 500,
      description: 'No other member of the organization has it, whatever the case.',
    }),
    ...rightsInput,
    firstName: Type.Optional(Text({ minLength: 1 })),
    lastName: Type.Optional(Text({ minLength: 1 })),
    memberType: Type.Optional(OneOf(['internal', 'external'], { description: 'Internal where left out.' })),
    departmentIds: Links('Departments that the member works for.'),
    propertyGroupIds: Links('Property groups that the member may work in; all of them where left out or empty.'),
    hourlyCostCents: Cents('What an hour of their work costs.'),
    hourlyBillableCents: Cents('What an hour of their work is billed at.'),
  },
  { additionalProperties: false },
)
type Invitation = Static<typeof Invitation>

export const inviteMember = write({
  route: 'POST /members',
  id: 'inviteMember',
  summary: 'Invite a member',
  description: `The member is found and can be given work from now on, and joins with \`POST /members/{id}/activate\`. The rules of rank
and permission are those of a role change. Hourly rates are never shown; time entries are charged at them.`,
  permission: 'manage_users',
  extension: true,
  body: Invitation,
  response: Member,
  errors: ['role_above_yours', 'permission_not_yours', 'member_exists', 'invalid_reference'],

  async handler({ trx, actor, body, now }) {
    const rights = rightsGiven(actor, body)
    const id = v7()
    const [[made], member] = await Promise.all([
      trx.rows<Made>(insertMember({ organizationId: actor.organizationId, id, body, rights, now })),
      trx.one({ row: memberRow, from: sql`members m where m.organization_id = ${actor.organizationId} and m.id = ${id}` }),
    ])
    refuseWrong(made!.wrong)
    if (!member) throw new ApiError('member_exists', await whoHas(trx, actor.organizationId, body.email))
    learnWords(trx, actor.organizationId, body.firstName, body.lastName, body.email)
    trx.event({ type: 'member.invited', entityType: 'member', entityId: id, changes: told({ ...body, ...rights }) })
    return member
  },
})

type Made = { wrong: WrongReference[] | null }
type NewMember = { organizationId: string; id: string; body: Invitation; rights: Rights; now: Date }

/** Inserts the member with their user and links, unless a reference is wrong or the e-mail is taken: then nothing of it stays. */
function insertMember({ organizationId, id, body, rights, now }: NewMember): Sql {
  const { departmentIds = [], propertyGroupIds = [] } = body
  return sql`
    with wrong as (${wrongReferences([
      unknownAmong('departmentIds', 'departments', organizationId, departmentIds),
      unknownAmong('propertyGroupIds', 'property_groups', organizationId, propertyGroupIds),
    ])}),
    made_user as (insert into users (id, created_at) select ${v7()}, ${now} where not exists (select from wrong) returning id),
    made as (
      insert into members (organization_id, id, user_id, first_name, last_name, email, member_type, role, permissions,
        hourly_cost_cents, hourly_billable_cents, invited_at, created_at, updated_at)
      select ${organizationId}, ${id}, u.id, ${body.firstName ?? null}, ${body.lastName ?? null}, ${body.email},
        ${body.memberType ?? 'internal'}, ${rights.role}, ${rights.permissions}, ${body.hourlyCostCents ?? null},
        ${body.hourlyBillableCents ?? null}, ${now}, ${now}, ${now}
      from made_user u
      on conflict (organization_id, lower(email)) do nothing
      returning id),
    in_departments as (
      insert into department_members (organization_id, department_id, member_id)
      select distinct ${organizationId}::uuid, d.id, made.id from made, unnest(${departmentIds}::uuid[]) d (id)),
    in_groups as (
      insert into member_property_groups (organization_id, property_group_id, member_id)
      select distinct ${organizationId}::uuid, g.id, made.id from made, unnest(${propertyGroupIds}::uuid[]) g (id))
    select json_agg(w) as wrong from wrong w`
}

/** SQL that yields a `WrongReference` row for each of `ids` that is no row of `table`; one statement text whatever their number. */
const unknownAmong = (field: string, table: 'departments' | 'property_groups', organizationId: string, ids: readonly string[]) =>
  sql`select ${field} || '.' || (g.place - 1) as field, 'unknown'::text as code, null::uuid as "userId"
    from unnest(${ids}::uuid[]) with ordinality g (id, place)
    where not exists (select from ${raw(table)} t where t.organization_id = ${organizationId} and t.id = g.id)`

async function whoHas(trx: Trx, organizationId: string, email: string): Promise<{ field: string; memberId?: string }> {
  const [member] = await trx.rows<{ memberId: string }>(sql`
    select id as "memberId" from members where organization_id = ${organizationId} and lower(email) = lower(${email})`)
  return { field: 'email', ...member }
}

/** What an event says of the invitation: not what someone earns. */
function told(given: Record<string, unknown>): Record<string, unknown> {
  const secret = new Set(['hourlyCostCents', 'hourlyBillableCents'])
  return Object.fromEntries(Object.entries(given).map(([field, to]) => [field, secret.has(field) ? { changed: true } : { to }]))
}
