import Type, { type Static } from 'typebox'
import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { ApiError } from '../../http/errors.ts'
import { Nullable, OneOf, Resource } from '../../http/schema.ts'
import { type SimulatedDevice, simulatedFaults } from '../../providers/provider.ts'
import { loadSimulated, type SimulatedId } from '../devices/simulated-device.ts'

export const lockStates = ['locked', 'unlocked', 'jammed', 'unknown'] as const
const faults = `\`jams\`: the bolt stops between its ends. \`refuses\`: the device will not move. \`loses_answer\`: it moves, and nobody
hears of it. \`provider_away\`: the provider of the device cannot be reached.`

export const controls = {
  online: Type.Boolean({ description: 'Whether the provider can reach the device.' }),
  batteryPercent: Type.Number({ minimum: 0, maximum: 100 }),
  lockState: OneOf(lockStates),
  delayMs: Type.Integer({ minimum: 0, maximum: 60_000, description: 'Milliseconds that a movement takes, and a poll.' }),
  fault: OneOf(simulatedFaults, { description: faults }),
}

export const Simulation = Resource(
  'Simulation',
  {
    online: controls.online,
    batteryPercent: Nullable(Type.Number({ description: 'Null for a device without a battery.' })),
    lockState: Nullable(OneOf(lockStates, { description: 'Null for a device that is no lock.' })),
    delayMs: Type.Integer(),
    fault: controls.fault,
  },
  'What a device of the simulated provider is, and does wrong.',
)
export type Simulation = Static<typeof Simulation>

export const shown = ({ online, batteryPercent, lockState, delayMs, fault }: SimulatedDevice): Simulation => ({
  online,
  batteryPercent,
  lockState,
  delayMs,
  fault,
})

/** The simulated device behind the device `id`. Throws 404, and 422 where it is a real one. */
export async function findSimulated(db: Db, actor: Actor, id: string): Promise<{ at: SimulatedId; device: SimulatedDevice }> {
  const { organizationId } = actor
  const [row] = await db.rows<{ accountId: string | null; externalId: string | null; isSimulated: boolean }>(sql`
    select d.integration_account_id as "accountId", d.external_id as "externalId", exists (
      select from integration_accounts a where a.organization_id = d.organization_id and a.id = d.integration_account_id
        and a.provider = 'simulated') as "isSimulated"
    from devices d where d.organization_id = ${organizationId} and d.id = ${id}`)
  if (!row) throw new ApiError('device_not_found')
  const { accountId, externalId, isSimulated } = row
  if (!isSimulated || !accountId || !externalId) throw new ApiError('device_not_simulated')
  const at = { organizationId, accountId, externalId }
  return { at, device: (await loadSimulated(db, at))! }
}
