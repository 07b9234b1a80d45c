import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams } from '../../http/schema.ts'
import { DeviceAlert, deviceAlertRow } from './device-alert.ts'

export const acknowledgeDeviceAlert = write({
  route: 'POST /device-alerts/{id}/acknowledge',
  id: 'acknowledgeDeviceAlert',
  summary: 'Say that somebody has seen to an alert',
  description: `The first who does so is kept; whoever comes later changes nothing. An alert stays open until what is seen of its device
closes it, and one that has closed can still be acknowledged.`,
  permission: 'control_device',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: DeviceAlert,
  errors: ['device_alert_not_found'],

  async handler({ trx, actor, params, now }) {
    const from = sql`device_alerts a where a.organization_id = ${actor.organizationId} and a.id = ${params.id}`
    const done = await trx.run(sql`
      update device_alerts set acknowledged_at = ${now}, acknowledged_by_member_id = ${actor.memberId}
      where organization_id = ${actor.organizationId} and id = ${params.id} and acknowledged_at is null`)
    const alert = await trx.one({ row: deviceAlertRow, from })
    if (!alert) throw new ApiError('device_alert_not_found')
    if (done > 0) {
      const changes = {
        acknowledgedAt: { from: null, to: now.toISOString() },
        acknowledgedByMemberId: { from: null, to: actor.memberId },
      }
      trx.event({
        type: 'device_alert.acknowledged',
        entityType: 'device_alert',
        entityId: params.id.toLowerCase(),
        changes,
      })
    }
    return alert
  },
})
