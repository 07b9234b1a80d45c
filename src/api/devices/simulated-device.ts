import type { Database, Db, Trx } from '../../db/db.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { SimulatedDevice, SimulationStore } from '../../providers/provider.ts'

export type SimulatedId = { organizationId: string; accountId: string; externalId: string }

type Shown = {
  state: SimulatedDevice | null
  type: SimulatedDevice['type']
  online: boolean | null
  batteryLevel: string | null
  deviceState: unknown
}

/** What is kept of the simulation, and what the device's own row shows: with nothing kept, the simulation starts from that. */
const shownColumns: Sql = sql`s.state, d.type, d.online, d.battery_level as "batteryLevel", d.device_state as "deviceState"`

function deviceOf({ state, type, online, batteryLevel, deviceState }: Shown): SimulatedDevice {
  if (state) return state
  const lock = (deviceState as { lock?: { state?: SimulatedDevice['lockState'] } } | null)?.lock
  return {
    type,
    online: online ?? true,
    batteryPercent: batteryLevel === null ? null : Number(batteryLevel),
    lockState: type === 'lock' ? (lock?.state ?? 'unknown') : null,
    delayMs: 0,
    fault: 'none',
    movement: null,
  }
}

/** Undefined where the account has no such device. */
export async function loadSimulated(db: Db, id: SimulatedId): Promise<SimulatedDevice | undefined> {
  const [row] = await db.rows<Shown>(sql`
    select ${shownColumns} from devices d
    left join simulated_devices s on s.organization_id = d.organization_id
      and s.integration_account_id = d.integration_account_id and s.external_id = d.external_id
    where d.organization_id = ${id.organizationId} and d.integration_account_id = ${id.accountId} and d.external_id = ${id.externalId}`)
  return row && deviceOf(row)
}

export const saveSimulated = (trx: Trx, id: SimulatedId, device: SimulatedDevice, now: Date): Promise<number> =>
  trx.run(sql`
    insert into simulated_devices (organization_id, integration_account_id, external_id, state, updated_at)
    values (${id.organizationId}, ${id.accountId}, ${id.externalId}, ${JSON.stringify(device)}, ${now})
    on conflict (organization_id, integration_account_id, external_id) do update set state = excluded.state, updated_at = excluded.updated_at`)

/** The simulated devices of one account, in the database. */
export function simulationStore(
  database: Database,
  organizationId: string,
  accountId: string,
  clock: () => Date,
): SimulationStore {
  const { db } = database.reader()
  const idOf = (externalId: string) => ({ organizationId, accountId, externalId })
  return {
    async list() {
      const rows = await db.rows<Shown & { externalId: string; name: string | null }>(sql`
        select ${shownColumns}, d.external_id as "externalId", d.name from devices d
        left join simulated_devices s on s.organization_id = d.organization_id
          and s.integration_account_id = d.integration_account_id and s.external_id = d.external_id
        where d.organization_id = ${organizationId} and d.integration_account_id = ${accountId} and d.external_id is not null
        order by d.created_at, d.id`)
      return rows.map((row) => ({ externalId: row.externalId, name: row.name, device: deviceOf(row) }))
    },
    load: (externalId) => loadSimulated(db, idOf(externalId)),
    async save(externalId, device) {
      await database.transaction((trx) => saveSimulated(trx, idOf(externalId), device, clock()))
    },
  }
}
