import Type from 'typebox'
import { and, oneOf, oneOfIds, raw, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Ids, Instant, List, Paging } from '../../http/schema.ts'
import { memberIn } from '../members/member.ts'
import { CostItem, costItemRow, costTypes } from './cost-item.ts'

export const listCostItems = read({
  route: 'GET /cost-items',
  id: 'listCostItems',
  summary: 'List materials, expenses and other costs',
  description: 'With `isApproved=false`, what is there to approve.',
  permission: 'view_analytics',
  extension: true,
  query: Type.Object({
    costTypes: AnyOf(costTypes, 'Costs of one of these types.'),
    departmentIds: Ids('Costs of one of these departments.'),
    ids: Ids('These cost items.'),
    incurredBefore: Instant('Incurred before this instant.'),
    incurredFrom: Instant('Incurred at this instant or later.'),
    isApproved: Type.Optional(Type.Boolean({ description: 'False: not yet, or decided against. Both where left out.' })),
    memberIds: Ids('Costs of one of these members, by member id or user id.'),
    propertyIds: Ids('Costs at one of these properties.'),
    taskIds: Ids('Costs of one of these tasks.'),
    timeEntryIds: Ids('Costs that hang on one of these time entries.'),
    ...Paging,
  }),
  response: List(CostItem),

  handler: ({ db, actor, query }) =>
    db.page({
      row: costItemRow,
      as: 'c',
      from: sql`cost_items c where ${and(
        sql`c.organization_id = ${actor.organizationId}`,
        query.costTypes && oneOf('c.cost_type', query.costTypes),
        query.departmentIds && oneOfIds('c.department_id', query.departmentIds),
        query.ids && oneOfIds('c.id', query.ids),
        query.incurredBefore && sql`c.incurred_at < ${query.incurredBefore}`,
        query.incurredFrom && sql`c.incurred_at >= ${query.incurredFrom}`,
        query.isApproved !== undefined && sql`c.is_approved is ${raw(query.isApproved ? 'true' : 'not true')}`,
        query.memberIds && memberIn('c.member_id', actor.organizationId, query.memberIds),
        query.propertyIds && oneOfIds('c.property_id', query.propertyIds),
        query.taskIds && oneOfIds('c.task_id', query.taskIds),
        query.timeEntryIds && oneOfIds('c.time_entry_id', query.timeEntryIds),
      )}`,
      order: sql`c.created_at, c.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
