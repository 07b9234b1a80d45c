import Type from 'typebox'
import { and, containsFolded, oneOf, oneOfIds, raw, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, List, Paging, Text, Texts } from '../../http/schema.ts'
import { Property, propertyRow } from './property.ts'

// An organization may add values of its own to the vocabulary, so any text is a fair question.
const Statuses = (name: string) => Texts(`Properties whose ${name} status is one of these.`)

export const listProperties = read({
  route: 'GET /properties',
  id: 'listProperties',
  summary: 'List the properties of the organization',
  description: '`codeDisplay`, `groupCodeDisplay` and `internalAccessNotes` are null without the permission `private_code`.',
  permission: 'view_properties',
  extension: true,
  query: Type.Object({
    cleaningStatuses: Statuses('cleaning'),
    ids: Ids('These properties.'),
    inspectionStatuses: Statuses('inspection'),
    isDisabled: Type.Optional(
      Type.Boolean({ description: 'Both where left out. False means not disabled, an unknown one included.' }),
    ),
    maintenanceStatuses: Statuses('maintenance'),
    nameContains: Type.Optional(Text({ description: 'Part of the name or nickname, whatever the case and accents.' })),
    propertyGroupIds: Ids('Properties of one of these groups.'),
    readinessStatuses: Statuses('readiness'),
    ...Paging,
  }),
  response: List(Property),

  handler: ({ db, actor, query }) =>
    db.page({
      row: propertyRow(actor),
      as: 'p',
      from: sql`properties p where ${and(
        sql`p.organization_id = ${actor.organizationId}`,
        query.cleaningStatuses && oneOf('p.cleaning_status', query.cleaningStatuses),
        query.ids && oneOfIds('p.id', query.ids),
        query.inspectionStatuses && oneOf('p.inspection_status', query.inspectionStatuses),
        query.isDisabled !== undefined && sql`p.is_disabled is ${raw(query.isDisabled ? 'true' : 'not true')}`,
        query.maintenanceStatuses && oneOf('p.maintenance_status', query.maintenanceStatuses),
        containsFolded(`fold(coalesce(p.name, '') || ' ' || coalesce(p.nickname, ''))`, query.nameContains),
        query.propertyGroupIds && oneOfIds('p.property_group_id', query.propertyGroupIds),
        query.readinessStatuses && oneOf('p.readiness_status', query.readinessStatuses),
      )}`,
      order: sql`p.created_at, p.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
