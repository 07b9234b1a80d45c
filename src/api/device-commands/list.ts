import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams, List, Paging } from '../../http/schema.ts'
import { DeviceCommand, deviceCommandRow } from './device-command.ts'

export const listDeviceCommands = read({
  route: 'GET /devices/{id}/commands',
  id: 'listDeviceCommands',
  summary: 'List the commands to a device, the oldest first',
  permission: 'view_devices',
  extension: true,
  params: IdParams,
  query: Type.Object(Paging),
  response: List(DeviceCommand),
  errors: ['device_not_found'],

  async handler({ db, actor, params, query }) {
    const [device] = await db.rows(
      sql`select 1 as found from devices where organization_id = ${actor.organizationId} and id = ${params.id}`,
    )
    if (!device) throw new ApiError('device_not_found')
    return db.page({
      row: deviceCommandRow,
      as: 'c',
      from: sql`device_commands c where c.organization_id = ${actor.organizationId} and c.device_id = ${params.id}`,
      order: sql`c.created_at, c.id`,
      limit: query.limit,
      offset: query.offset,
    })
  },
})
