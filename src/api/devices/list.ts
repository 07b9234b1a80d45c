import Type from 'typebox'
import { and, containsFolded, oneOf, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Ids, List, OneOf, Paging, Text, Uuid } from '../../http/schema.ts'
import { deviceTypes, ecosystems, providerNames } from '../../providers/provider.ts'
import { Device, deviceCount, deviceRow } from './device.ts'

export const listDevices = read({
  route: 'GET /devices',
  id: 'listDevices',
  summary: 'List the smart devices of the organization',
  permission: 'view_devices',
  query: Type.Object({
    ecosystem: Type.Optional(OneOf(ecosystems, { description: 'The system the device belongs to.' })),
    flagReasons: Type.Optional(
      Type.Array(OneOf(['low_battery', 'offline']), { maxItems: 1, description: 'Devices that need a look, and why.' }),
    ),
    integrationAccountId: Type.Optional(Uuid),
    isArchived: Type.Optional(Type.Boolean({ description: 'Both where left out.' })),
    lowBattery: Type.Optional(Type.Boolean({ description: 'False means not low, an unknown level included.' })),
    nameContains: Type.Optional(Text({ description: 'Part of the name, whatever the case and accents.' })),
    onlineStatuses: AnyOf(['online', 'offline'], 'A device whose state is unknown matches neither.'),
    propertyGroupIds: Ids('Devices linked to a property of one of these groups.'),
    propertyIds: Ids('Devices linked to one of these properties.'),
    providers: AnyOf(providerNames, 'Devices of one of these providers.'),
    types: AnyOf(deviceTypes, 'Devices of one of these types.'),
    ...Paging,
  }),
  response: List(Device),

  handler: ({ db, actor, query, config }) => {
    const low = sql`d.battery_level <= ${config.lowBattery}`
    return db.page({
      row: deviceRow,
      as: 'd',
      from: sql`devices d where ${and(
        sql`d.organization_id = ${actor.organizationId}`,
        query.ecosystem && sql`d.ecosystem = ${query.ecosystem}`,
        query.flagReasons?.includes('low_battery') && low,
        query.flagReasons?.includes('offline') && sql`d.online = false`,
        query.integrationAccountId && sql`d.integration_account_id = ${query.integrationAccountId}`,
        query.isArchived !== undefined && sql`d.is_archived = ${query.isArchived}`,
        query.lowBattery !== undefined && (query.lowBattery ? low : sql`(${low}) is not true`),
        containsFolded(`fold(coalesce(d.name, ''))`, query.nameContains),
        query.onlineStatuses && onlineIn(query.onlineStatuses),
        query.propertyGroupIds &&
          sql`exists (select from device_properties l join properties p on p.organization_id = l.organization_id and p.id = l.property_id
            where l.organization_id = d.organization_id and l.device_id = d.id and ${oneOfIds('p.property_group_id', query.propertyGroupIds)})`,
        query.propertyIds &&
          sql`exists (select from device_properties l
            where l.organization_id = d.organization_id and l.device_id = d.id and ${oneOfIds('l.property_id', query.propertyIds)})`,
        query.providers && oneOf('d.provider', query.providers),
        query.types && oneOf('d.type', query.types),
      )}`,
      order: sql`d.created_at, d.id`,
      total: isFiltered(query) ? undefined : deviceCount(actor.organizationId),
      limit: query.limit,
      offset: query.offset,
    })
  },
})

const isFiltered = ({
  limit: _limit,
  offset: _offset,
  nameContains,
  ...filters
}: object & { limit: number; offset: number; nameContains?: string }): boolean =>
  Boolean(nameContains) || Object.keys(filters).length > 0

function onlineIn(statuses: readonly ('online' | 'offline')[]) {
  const [online, offline] = [statuses.includes('online'), statuses.includes('offline')]
  return online && offline ? sql`d.online is not null` : sql`d.online = ${online}`
}
