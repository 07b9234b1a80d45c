import { read } from '../../http/endpoint.ts'
import { IdParams } from '../../http/schema.ts'
import { findSimulated, Simulation, shown } from './simulation.ts'

export const getSimulation = read({
  route: 'GET /devices/{id}/simulation',
  id: 'getSimulation',
  summary: 'Read how a simulated device stands',
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  response: Simulation,
  errors: ['device_not_found', 'device_not_simulated'],

  handler: async ({ db, actor, params }) => shown((await findSimulated(db, actor, params.id)).device),
})
