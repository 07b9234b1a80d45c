import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { changesBetween } from '../../http/events.ts'
import { IdParams } from '../../http/schema.ts'
import { saveSimulated } from '../devices/simulated-device.ts'
import { controls, findSimulated, Simulation, shown } from './simulation.ts'

export const updateSimulation = write({
  route: 'PATCH /devices/{id}/simulation',
  id: 'updateSimulation',
  summary: 'Make a simulated device slow, unreachable, low, jammed or lossy',
  description: `For rehearsing what to do when a real one is. GET /devices shows it once the device was polled. A \`lockState\` is
ignored for a device that is no lock, and ends a movement that is under way.`,
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: Type.Object(
    { data: Type.Partial(Type.Object(controls), { additionalProperties: false }) },
    { additionalProperties: false },
  ),
  response: Simulation,
  errors: ['device_not_found', 'device_not_simulated'],

  async handler({ trx, actor, params, body, now }) {
    await trx.rows(sql`select 1 as locked from devices
      where organization_id = ${actor.organizationId} and id = ${params.id} for no key update`)
    const { at, device } = await findSimulated(trx, actor, params.id)
    const { lockState, ...rest } = body.data
    const moved = lockState && device.lockState ? { lockState, movement: null } : {}
    const after = { ...device, ...rest, ...moved }
    const changes = changesBetween(shown(device), shown(after))
    if (Object.keys(changes).length === 0 && !device.movement) return shown(device)
    await saveSimulated(trx, at, after, now)
    trx.event({ type: 'device.simulation_changed', entityType: 'device', entityId: params.id, changes })
    return shown(after)
  },
})
