import Type from 'typebox'
import { and, containsFolded, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, List, Paging, Text } from '../../http/schema.ts'
import { PropertyGroup, propertyGroupRow } from './property-group.ts'

export const listPropertyGroups = read({
  route: 'GET /property-groups',
  id: 'listPropertyGroups',
  summary: 'List the property groups of the organization',
  permission: 'view_properties',
  extension: true,
  query: Type.Object({
    ids: Ids('These groups.'),
    nameContains: Type.Optional(Text({ description: 'Part of the name, whatever the case and accents.' })),
    ...Paging,
  }),
  response: List(PropertyGroup),

  handler: ({ db, actor, query }) =>
    db.page({
      row: propertyGroupRow,
      as: 'g',
      from: sql`property_groups g where ${and(
        sql`g.organization_id = ${actor.organizationId}`,
        query.ids && oneOfIds('g.id', query.ids),
        containsFolded('fold(g.name)', query.nameContains),
      )}`,
      order: sql`g.created_at, g.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
