import { sql } from '../../db/sql.ts'
import type { Change } from '../../http/events.ts'
import type { DeviceSnapshot, LockReading } from '../../providers/provider.ts'
import type { AlertLimits } from '../device-alerts/conditions.ts'
import { reconcileAlerts } from '../device-alerts/reconcile.ts'

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
 * snapshot that says nothing of it, and an older observation never replaces a newer one. Alerts open and close by it.
 */
export async function seen(
  trx: Change,
  { organizationId, id }: { organizationId: string; id: string },
  snapshot: DeviceSnapshot,
  now: Date,
  limits: AlertLimits,
): Promise<void> {
  const [stored] = await trx.rows<{ deviceState: unknown }>(sql`select device_state as "deviceState" from devices
    where organization_id = ${organizationId} and id = ${id} for no key update`)
  if (!stored) return
  const state = merged(stored.deviceState, snapshot)
  const { battery, observedAt, online } = snapshot
  const reportedAt = battery && (battery.reportedAt ?? observedAt)
  await trx.run(sql`
    update devices d set
      online = case when ${now}::timestamptz >= coalesce(d.health_check, '-infinity') then coalesce(${online}::boolean, d.online) else d.online end,
      battery_level = case when n.newer then ${battery ? battery.percent : null}::numeric else d.battery_level end,
      battery_updated_at = case when n.newer then ${reportedAt}::timestamptz else d.battery_updated_at end,
      health_check = greatest(d.health_check, ${now}::timestamptz),
      device_state = ${JSON.stringify(state)}::jsonb,
      updated_at = ${now}
    from (select coalesce(${reportedAt}::timestamptz >= coalesce(o.battery_updated_at, '-infinity'), false) as newer from devices o
      where o.organization_id = ${organizationId} and o.id = ${id}) n
    where d.organization_id = ${organizationId} and d.id = ${id}`)
  await reconcileAlerts(trx, organizationId, [id], now, limits)
}

/** What is known after `snapshot`, whatever was stored before: it may have been imported in any form. */
export function merged(stored: unknown, snapshot: DeviceSnapshot): unknown {
  const known = (isObject(stored) ? stored : {}) as Partial<DeviceState>
  const before = typeof known.observedAt === 'string' ? new Date(known.observedAt) : undefined
  const since = before && !Number.isNaN(before.getTime()) ? before : undefined
  if (since && since > snapshot.observedAt) return stored

  const knownLock = isObject(known.lock) ? (known.lock as LockReading) : null
  const knownClimate = isObject(known.climate) ? (known.climate as NonNullable<DeviceState['climate']>) : null
  const keepsLock = saysOf(knownLock) && !saysOf(snapshot.lock)
  const keepsClimate = knownClimate !== null && snapshot.climate === null
  // What was kept is as old as it was: a newer time would hide it.
  const isKept = since !== undefined && (keepsLock || keepsClimate)
  return {
    ...known,
    lock: keepsLock ? { ...knownLock, doorOpen: snapshot.lock?.doorOpen ?? knownLock?.doorOpen ?? null } : snapshot.lock,
    climate: snapshot.climate && {
      temperatureC: snapshot.climate.temperatureC ?? knownClimate?.temperatureC ?? null,
      humidityPercent: snapshot.climate.humidityPercent ?? knownClimate?.humidityPercent ?? null,
    },
    ...(keepsClimate ? { climate: knownClimate } : {}),
    issues: snapshot.issues,
    observedAt: (isKept ? since : snapshot.observedAt).toISOString(),
    live: isKept ? false : snapshot.live,
  }
}

const saysOf = (lock: LockReading | null): boolean => lock !== null && lock.state !== undefined && lock.state !== 'unknown'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
