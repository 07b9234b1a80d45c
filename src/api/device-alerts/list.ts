import Type from 'typebox'
import { and, oneOf, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, List, OneOf, Paging, Uuid } from '../../http/schema.ts'
import { alertKinds, alertStates, DeviceAlert, deviceAlertRow } from './device-alert.ts'

export const listDeviceAlerts = read({
  route: 'GET /device-alerts',
  id: 'listDeviceAlerts',
  summary: 'List what is or was amiss with devices',
  description: 'Oldest first. Alerts open and close by what is seen of a device; people acknowledge them.',
  permission: 'view_devices',
  extension: true,
  query: Type.Object({
    deviceId: Type.Optional(Uuid),
    propertyId: Type.Optional(Type.String({ format: 'uuid', description: 'Of devices linked to this property.' })),
    kinds: AnyOf(alertKinds, 'Alerts of one of these kinds.'),
    state: Type.Optional(OneOf(alertStates, { description: 'Both where left out.' })),
    isAcknowledged: Type.Optional(Type.Boolean({ description: 'Both where left out.' })),
    ...Paging,
  }),
  response: List(DeviceAlert),

  handler: ({ db, actor, query }) =>
    db.page({
      row: deviceAlertRow,
      as: 'a',
      from: sql`device_alerts a where ${and(
        sql`a.organization_id = ${actor.organizationId}`,
        query.deviceId && sql`a.device_id = ${query.deviceId}`,
        query.propertyId &&
          sql`exists (select from device_properties l where l.organization_id = a.organization_id and l.device_id = a.device_id
            and l.property_id = ${query.propertyId})`,
        query.kinds && oneOf('a.kind', query.kinds),
        query.state && (query.state === 'open' ? sql`a.closed_at is null` : sql`a.closed_at is not null`),
        query.isAcknowledged !== undefined &&
          (query.isAcknowledged ? sql`a.acknowledged_at is not null` : sql`a.acknowledged_at is null`),
      )}`,
      order: sql`a.opened_at, a.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
