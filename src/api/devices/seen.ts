import { sql } from '../../db/sql.ts'
import type { Change } from '../../http/events.ts'
import type { DeviceSnapshot, LockReading } from '../../providers/provider.ts'
import { saneSnapshot } from '../../providers/sane.ts'
import type { AlertLimits } from '../device-alerts/conditions.ts'
import { reconcileAlerts } from '../device-alerts/reconcile.ts'

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

/** Devices that one statement stores. */
const batch = 1_000

/** Stores what was seen of one device at `now`. */
export const seen = (
  trx: Change,
  { organizationId, id }: { organizationId: string; id: string },
  sighting: Sighting,
  now: Date,
  limits: AlertLimits,
): Promise<void> => seenAll(trx, organizationId, [{ id, sighting }], now, limits)

/**
 * Stores what was seen of devices, each named once, at `now`: the one place where anything seen is stored. Nothing known is
 * lost to a sighting that says nothing of it, and an older observation never replaces a newer one. Alerts open and close by it.
 */
export async function seenAll(
  trx: Change,
  organizationId: string,
  sightings: readonly { id: string; sighting: Sighting }[],
  now: Date,
  limits: AlertLimits,
): Promise<void> {
  for (let from = 0; from < sightings.length; from += batch) {
    const some = sightings.slice(from, from + batch)
    await storeBatch(trx, organizationId, some, now)
    await reconcileAlerts(
      trx,
      organizationId,
      some.map(({ id }) => id),
      now,
      limits,
    )
  }
}

async function storeBatch(
  trx: Change,
  organizationId: string,
  sightings: readonly { id: string; sighting: Sighting }[],
  now: Date,
): Promise<void> {
  // In the order of their ids, so that two who store several do not wait for each other.
  const known = await trx.rows<{ id: string; deviceState: unknown }>(sql`select id, device_state as "deviceState" from devices
    where organization_id = ${organizationId} and id = any(${sightings.map(({ id }) => id)}::uuid[]) order by id for no key update`)
  const stateOf = new Map(known.map(({ id, deviceState }) => [id, deviceState]))
  const rows = sightings.map(({ id, sighting }) => {
    const { online, battery, observedAt, ...rest } = checked(sighting, now)
    const state = merged(stateOf.get(id.toLowerCase()), { online, battery, observedAt, ...rest }, now)
    const reportedAt = battery && (battery.reportedAt ?? observedAt)
    return { id, online, percent: battery?.percent ?? null, reported_at: reportedAt, state }
  })
  const beyond = new Date(now.getTime() + ahead)
  const isNewer = sql`case when d.battery_updated_at is null or d.battery_updated_at > ${beyond} then n.reported_at is not null
    else n.reported_at >= d.battery_updated_at end`
  const isLast = sql`(d.health_check is null or d.health_check > ${beyond} or d.health_check <= ${now})`
  await trx.run(sql`
    update devices d set
      online = case when ${isLast} then coalesce(n.online, d.online) else d.online end,
      battery_level = case when ${isNewer} then n.percent else d.battery_level end,
      battery_updated_at = case when ${isNewer} then n.reported_at else d.battery_updated_at end,
      health_check = case when ${isLast} then ${now} else d.health_check end,
      device_state = n.state,
      updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (id uuid, online boolean, percent numeric, reported_at timestamptz, state jsonb)
    where d.organization_id = ${organizationId} and d.id = n.id`)
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
