import Type from 'typebox'
import { and, oneOf, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, List, Paging, Texts } from '../../http/schema.ts'
import { Instruction, resolved, unresolvedRow } from './instruction.ts'
import { placeholderRules } from './placeholders.ts'

const order =
  'Ordered by `sortOrder` where exactly one `propertyIds` or exactly one `propertyGroupIds` is given, and else oldest first.'

export const listInstructions = read({
  route: 'GET /instructions',
  id: 'listInstructions',
  summary: 'List guest instruction steps, with title and description resolved',
  description: `${order}\n\n${placeholderRules}\n\n\`fixedCode\` is null without the permission \`view_lock_code\`.`,
  permission: 'view_guides',
  extension: true,
  query: Type.Object({
    deviceIds: Ids('Steps about one of these devices.'),
    propertyGroupIds: Ids('Steps of one of these property groups; those of their properties do not count.'),
    propertyIds: Ids('Steps of one of these properties; those of their groups do not count.'),
    types: Texts('Steps of one of these types.'),
    ...Paging,
  }),
  response: List(Instruction),

  async handler({ db, actor, query }) {
    const oneScope = [...(query.propertyIds ?? []), ...(query.propertyGroupIds ?? [])].length === 1
    const { items, pagination } = await db.page({
      row: unresolvedRow(actor),
      as: 'i',
      from: sql`instructions i where ${and(
        sql`i.organization_id = ${actor.organizationId}`,
        query.deviceIds && oneOfIds('i.device_id', query.deviceIds),
        query.propertyGroupIds && oneOfIds('i.property_group_id', query.propertyGroupIds),
        query.propertyIds && oneOfIds('i.property_id', query.propertyIds),
        query.types && oneOf('i.type', query.types),
      )}`,
      order: oneScope ? sql`i.sort_order, i.id` : sql`i.created_at, i.id`,
      limit: query.limit,
      offset: query.offset,
    })
    return { items: JSON.stringify(JSON.parse(items).map(resolved)), pagination }
  },
})
