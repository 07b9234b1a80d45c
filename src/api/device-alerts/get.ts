import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { DeviceAlert, deviceAlertRow } from './device-alert.ts'

export const getDeviceAlert = read({
  route: 'GET /device-alerts/{id}',
  id: 'getDeviceAlert',
  summary: 'Read an alert of a device',
  permission: 'view_devices',
  extension: true,
  params: IdParams,
  response: DeviceAlert,
  errors: ['device_alert_not_found'],

  async handler({ db, actor, params }) {
    const alert = await db.one({
      row: deviceAlertRow,
      from: sql`device_alerts a where a.organization_id = ${actor.organizationId} and a.id = ${params.id}`,
    })
    if (!alert) throw new ApiError('device_alert_not_found')
    return alert
  },
})
