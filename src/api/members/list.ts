import Type from 'typebox'
import { and, containsFolded, oneOf, oneOfIds, type Sql, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Ids, List, maxOffset, OneOf, Paging, Text } from '../../http/schema.ts'
import { Member, memberRow, roles } from './member.ts'

const statuses = ['active', 'external', 'invited', 'inactive', 'assignable'] as const

/** docs/decisions.md, "Members". */
const statusIs: Record<(typeof statuses)[number], Sql> = {
  active: sql`m.joined_at is not null and m.deactivated_at is null`,
  external: sql`m.member_type = 'external'`,
  invited: sql`m.joined_at is null and m.deactivated_at is null`,
  inactive: sql`m.deactivated_at is not null`,
  assignable: sql`m.deactivated_at is null and (m.joined_at is not null or m.member_type <> 'external')`,
}

export const listMembers = read({
  route: 'GET /members',
  id: 'listMembers',
  summary: 'List the team members',
  permission: 'view_users',
  query: Type.Object({
    limit: Paging.limit,
    offset: Type.Integer({ minimum: 0, maximum: maxOffset, description: 'Items to skip.' }),
    departmentIds: Ids('Members of one of these departments.'),
    propertyGroupIds: Ids('Members who may work in one of these groups; one without access rows may work in all.'),
    userGroupIds: Ids('Members of one of these user groups.'),
    roleFilter: AnyOf(roles, 'Members with one of these roles.'),
    search: Type.Optional(Text({ description: 'Part of "First Last" or of the e-mail, whatever the case and accents.' })),
    statusFilter: Type.Optional(
      OneOf(statuses, { description: 'assignable: who may be given a task, the active and the invited who are not external.' }),
    ),
  }),
  response: List(Member),

  handler: ({ db, actor, query }) =>
    db.page({
      row: memberRow,
      as: 'm',
      from: sql`members m where ${and(
        sql`m.organization_id = ${actor.organizationId}`,
        query.departmentIds && linkedTo('department_members', oneOfIds('l.department_id', query.departmentIds)),
        query.propertyGroupIds && mayWorkIn(actor.organizationId, query.propertyGroupIds),
        query.userGroupIds && linkedTo('user_group_members', oneOfIds('l.user_group_id', query.userGroupIds)),
        query.roleFilter && oneOf('m.role', query.roleFilter),
        query.search && sql`(${nameContains(query.search)} or ${emailContains(query.search)})`,
        query.statusFilter && statusIs[query.statusFilter],
      )}`,
      order: sql`m.created_at, m.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})

const linkTables = {
  department_members: sql`department_members`,
  member_property_groups: sql`member_property_groups`,
  user_group_members: sql`user_group_members`,
}

const linkedTo = (table: keyof typeof linkTables, condition: Sql): Sql =>
  sql`exists (select from ${linkTables[table]} l where l.organization_id = m.organization_id and l.member_id = m.id and ${condition})`

/** No access rows mean access to every group there is, so one of those asked for must exist. */
const mayWorkIn = (organizationId: string, groupIds: readonly string[]): Sql =>
  sql`(${linkedTo('member_property_groups', oneOfIds('l.property_group_id', groupIds))}
    or (not ${linkedTo('member_property_groups', sql`true`)}
      and exists (select from property_groups g where g.organization_id = ${organizationId} and ${oneOfIds('g.id', groupIds)})))`

const nameContains = (term: string) =>
  containsFolded(`fold(coalesce(m.first_name, '') || ' ' || coalesce(m.last_name, ''))`, term)!
const emailContains = (term: string) => containsFolded(`fold(coalesce(m.email, ''))`, term)!
