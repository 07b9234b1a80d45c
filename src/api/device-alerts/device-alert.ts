import Type from 'typebox'
import { Computed, projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { DateTime, Nullable, NullableDateTime, NullableUuid, OneOf, Resource, Uuid } from '../../http/schema.ts'

export const alertKinds = ['offline', 'low_battery', 'jammed', 'stale'] as const
export type AlertKind = (typeof alertKinds)[number]
export const alertStates = ['open', 'closed'] as const

export const DeviceAlert = Resource(
  'DeviceAlert',
  {
    id: Uuid,
    deviceId: Uuid,
    kind: OneOf(alertKinds),
    state: Computed(OneOf(alertStates)),
    openedAt: DateTime,
    closedAt: NullableDateTime,
    acknowledgedAt: NullableDateTime,
    acknowledgedByMemberId: NullableUuid,
    batteryLevel: Nullable(Type.Number({ description: 'Percent, when it opened.' })),
    observedAt: Nullable(
      Type.String({ format: 'date-time', description: 'How old what was known of the device was, when it opened.' }),
    ),
    message: Nullable(Type.String({ description: 'What the provider said of it, where it said anything.' })),
    taskId: Nullable(Type.String({ format: 'uuid', description: 'The task that a rule made of it.' })),
    taskProblem: Nullable(
      OneOf(['no_template', 'no_department'] as const, {
        description:
          'Why there is no task although a rule asks for one: its template is deleted, or there is no department for maintenance.',
      }),
    ),
  },
  'Something amiss with a device, from when to when. It opens and closes by itself.',
)

/** An alert under the alias `a`. */
export const deviceAlertRow = projection(DeviceAlert, 'a', {
  state: sql`case when a.closed_at is null then '"open"' else '"closed"' end`,
})
