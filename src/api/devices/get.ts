import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Device, deviceRow } from './device.ts'

export const getDevice = read({
  route: 'GET /devices/{id}',
  id: 'getDevice',
  summary: 'Read one device',
  permission: 'view_devices',
  extension: true,
  params: IdParams,
  response: Device,
  errors: ['device_not_found'],

  async handler({ db, actor, params }) {
    const device = await db.one({
      row: deviceRow,
      from: sql`devices d where d.organization_id = ${actor.organizationId} and d.id = ${params.id}`,
    })
    if (!device) throw new ApiError('device_not_found')
    return device
  },
})
