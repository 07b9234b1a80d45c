import type { Trx } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceSnapshot, LockReading } from '../../providers/provider.ts'
import { saneSnapshot } from '../../providers/sane.ts'

/** What was seen of a device, perhaps of its lock alone: `issues` is null where they were not looked for, and then they stay. */
export type Sighting = Omit<DeviceSnapshot, 'issues'> & { issues: DeviceSnapshot['issues'] | null }

/** `devices.device_state`, as GET /devices shows it. `observedAt` (ISO 8601) is how old the oldest part of it is. */
export type DeviceState = {
  lock: LockReading | null
  climate: DeviceSnapshot['climate']
  issues: DeviceSnapshot['issues']
  observedAt: string
  live: boolean
}

/**
 * Stores what a provider said of a device at `now`: the one place where anything seen is stored. Nothing known is lost to a
 * snapshot that says nothing of it, and an older observation never replaces a newer one.
 */
export async function seen(
  trx: Trx,
  { organizationId, id }: { organizationId: string; id: string },
  said: Sighting,
  now: Date,
): Promise<void> {
  const snapshot = checked(said, now)
  const [stored] = await trx.rows<{ deviceState: unknown }>(sql`select device_state as "deviceState" from devices
    where organization_id = ${organizationId} and id = ${id} for no key update`)
  if (!stored) return
  const state = merged(stored.deviceState, snapshot, now)
  const { battery, observedAt, online } = snapshot
  const reportedAt = battery && (battery.reportedAt ?? observedAt)
  const beyond = new Date(now.getTime() + ahead)
  await trx.run(sql`
    update devices d set
      online = case when n.is_last then coalesce(${online}::boolean, d.online) else d.online end,
      battery_level = case when n.newer then ${battery ? battery.percent : null}::numeric else d.battery_level end,
      battery_updated_at = case when n.newer then ${reportedAt}::timestamptz else d.battery_updated_at end,
      health_check = case when n.is_last then ${now}::timestamptz else d.health_check end,
      device_state = ${JSON.stringify(state)}::jsonb,
      updated_at = ${now}
    from (select coalesce(${reportedAt}::timestamptz >= o.battery_updated_at or o.battery_updated_at > ${beyond},
          ${reportedAt}::timestamptz is not null) as newer,
        coalesce(${now}::timestamptz >= o.health_check or o.health_check > ${beyond}, true) as is_last from devices o
      where o.organization_id = ${organizationId} and o.id = ${id}) n
    where d.organization_id = ${organizationId} and d.id = ${id}`)
}

/**
 * Milliseconds that a stored time may be ahead of `now`, because another transaction, begun later, was the first to store. One
 * further ahead is of a wrong clock, and would hide everything until then.
 */
const ahead = 300_000

/** Within its bounds. A provider's clock may run ahead: nothing was seen after `now`, which also stands for a time that cannot be read. */
function checked({ issues, ...said }: Sighting, now: Date): Sighting {
  const sane = saneSnapshot({ ...said, issues: issues ?? [] })
  const past = (time: Date): Date => (time <= now ? time : now)
  return {
    ...sane,
    issues: issues && sane.issues,
    observedAt: past(sane.observedAt),
    battery: sane.battery && { ...sane.battery, reportedAt: sane.battery.reportedAt && past(sane.battery.reportedAt) },
  }
}

/** What is known after `snapshot`, whatever was stored before: it may have been imported in any form. */
export function merged(stored: unknown, snapshot: Sighting, now: Date): unknown {
  const known = (isObject(stored) ? stored : {}) as Partial<DeviceState>
  const before = typeof known.observedAt === 'string' ? new Date(known.observedAt) : undefined
  const since = before && before.getTime() <= now.getTime() + ahead ? before : undefined
  if (since && since > snapshot.observedAt) return stored

  const knownLock = isObject(known.lock) ? (known.lock as LockReading) : null
  const knownClimate = isObject(known.climate) ? (known.climate as NonNullable<DeviceState['climate']>) : null
  const keepsLock = saysOf(knownLock) && !saysOf(snapshot.lock)
  const keepsClimate = knownClimate !== null && snapshot.climate === null
  const knownIssues = Array.isArray(known.issues) ? (known.issues as DeviceState['issues']) : []
  const keepsIssues = snapshot.issues === null && knownIssues.length > 0
  // What was kept is as old as it was: a newer time would hide it.
  const isKept = since !== undefined && (keepsLock || keepsClimate || keepsIssues)
  return {
    ...known,
    lock: keepsLock ? { ...knownLock, doorOpen: snapshot.lock?.doorOpen ?? knownLock?.doorOpen ?? null } : snapshot.lock,
    climate: snapshot.climate && {
      temperatureC: snapshot.climate.temperatureC ?? knownClimate?.temperatureC ?? null,
      humidityPercent: snapshot.climate.humidityPercent ?? knownClimate?.humidityPercent ?? null,
    },
    ...(keepsClimate ? { climate: knownClimate } : {}),
    issues: snapshot.issues ?? knownIssues,
    observedAt: (isKept ? since : snapshot.observedAt).toISOString(),
    live: isKept ? false : snapshot.live,
  }
}

const saysOf = (lock: LockReading | null): boolean => lock !== null && lock.state !== undefined && lock.state !== 'unknown'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
