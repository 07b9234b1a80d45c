import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { DeviceCommand, deviceCommandRow } from './device-command.ts'

export const getDeviceCommand = read({
  route: 'GET /device-commands/{id}',
  id: 'getDeviceCommand',
  summary: 'Read what became of a command to a device',
  permission: 'view_devices',
  extension: true,
  params: IdParams,
  response: DeviceCommand,
  errors: ['device_command_not_found'],

  async handler({ db, actor, params }) {
    const command = await db.one({
      row: deviceCommandRow,
      from: sql`device_commands c where c.organization_id = ${actor.organizationId} and c.id = ${params.id}`,
    })
    if (!command) throw new ApiError('device_command_not_found')
    return command
  },
})
