import { v7 } from 'uuid'
import { sql } from '../../db/sql.ts'
import type { Change } from '../../http/events.ts'
import { type AlertLimits, type Condition, conditionsOf, type DeviceFacts, stateOf } from './conditions.ts'
import type { AlertKind } from './device-alert.ts'
import { makeTasks } from './tasks.ts'

type Facts = DeviceFacts & { id: string }
type Open = { id: string; deviceId: string; kind: AlertKind }
export type Opened = Open & { batteryLevel: number | null; message: string | null }

/**
 * Opens and closes the alerts of these devices by what is stored of them: to be called by whatever stores that, in its
 * transaction. Two at once are safe: the devices are locked, and there is one open alert for each device and kind.
 */
export async function reconcileAlerts(
  trx: Change,
  organizationId: string,
  deviceIds: readonly string[],
  now: Date,
  limits: AlertLimits,
): Promise<void> {
  if (deviceIds.length === 0) return
  // In this order: what is open is read after the lock is held, and is what the one before has left.
  const [devices, open] = await Promise.all([
    trx.rows<Facts>(sql`
      select d.id, d.online, d.battery_level::float8 as "batteryLevel", d.device_state as "deviceState", d.created_at as "createdAt",
        d.is_archived as "isArchived", d.integration_account_id is not null and d.external_id is not null as "isOfAccount",
        coalesce((a.last_polled_at is not null or a.last_poll_error is not null)
          and a.last_poll_error is distinct from 'not_connected', false) as "isPolled"
      from devices d
      left join integration_accounts a on a.organization_id = d.organization_id and a.id = d.integration_account_id
      where d.organization_id = ${organizationId} and d.id = any(${deviceIds}::uuid[])
      order by d.id for no key update of d`),
    openOf(trx, organizationId, deviceIds),
  ])
  const { toOpen, toClose } = compare(devices, open, now, limits)
  if (toOpen.length === 0 && toClose.length === 0) return
  const opened = await store(trx, organizationId, { toOpen, toClose }, now)
  await makeTasks(trx, organizationId, opened, now)
}

/** Closes all alerts of devices that nobody looks after any more. */
export async function closeAlerts(trx: Change, organizationId: string, deviceIds: readonly string[], now: Date): Promise<void> {
  const toClose = deviceIds.length === 0 ? [] : await openOf(trx, organizationId, deviceIds)
  if (toClose.length > 0) await store(trx, organizationId, { toOpen: [], toClose }, now)
}

const openOf = (trx: Change, organizationId: string, deviceIds: readonly string[]): Promise<Open[]> =>
  trx.rows<Open>(sql`select id, device_id as "deviceId", kind from device_alerts
    where organization_id = ${organizationId} and device_id = any(${deviceIds}::uuid[]) and closed_at is null`)

type ToOpen = Condition & { id: string; deviceId: string; batteryLevel: number | null; observedAt: Date | null }

/** What must change for the open alerts to say what holds. */
function compare(devices: readonly Facts[], open: readonly Open[], now: Date, limits: AlertLimits) {
  const toOpen: ToOpen[] = []
  const toClose: Open[] = []
  const byDevice = Map.groupBy(open, ({ deviceId }) => deviceId)
  for (const device of devices) {
    const already = byDevice.get(device.id) ?? []
    const kinds = new Set(already.map(({ kind }) => kind))
    const conditions = conditionsOf(device, now, limits, kinds)
    const holds = new Set(conditions.map(({ kind }) => kind))
    toClose.push(...already.filter(({ kind }) => !holds.has(kind)))
    const observedAt = stateOf(device.deviceState).observedAt ?? null
    for (const condition of conditions)
      if (!kinds.has(condition.kind))
        toOpen.push({ ...condition, id: v7(), deviceId: device.id, batteryLevel: device.batteryLevel, observedAt })
  }
  return { toOpen, toClose }
}

/** One statement. Answers those that were opened by it. */
async function store(
  trx: Change,
  organizationId: string,
  { toOpen, toClose }: ReturnType<typeof compare>,
  now: Date,
): Promise<Opened[]> {
  const changed = await trx.rows<Opened & { isOpen: boolean }>(sql`
    with closed as (
      update device_alerts set closed_at = greatest(${now}::timestamptz, opened_at)
      where organization_id = ${organizationId} and id = any(${toClose.map(({ id }) => id)}::uuid[]) and closed_at is null
      returning id, device_id, kind, battery_level, message, false as is_open),
    opened as (
      insert into device_alerts (organization_id, id, device_id, kind, opened_at, battery_level, observed_at, message)
      select ${organizationId}, n.id, n."deviceId", n.kind, ${now}, n."batteryLevel", n."observedAt", n.message
      from json_to_recordset(${JSON.stringify(toOpen)}) n (id uuid, "deviceId" uuid, kind text, "batteryLevel" numeric,
        "observedAt" timestamptz, message text)
      on conflict (organization_id, device_id, kind) where closed_at is null do nothing
      returning id, device_id, kind, battery_level, message, true as is_open)
    select id, device_id as "deviceId", kind, battery_level::float8 as "batteryLevel", message, is_open as "isOpen"
    from (select * from closed union all select * from opened) changed order by is_open, id`)
  for (const { id, deviceId, kind, isOpen } of changed) {
    const changes = isOpen
      ? { deviceId: { to: deviceId }, kind: { to: kind } }
      : { state: { from: 'open', to: 'closed' }, closedAt: { from: null, to: now.toISOString() } }
    trx.event({ type: `device_alert.${isOpen ? 'opened' : 'closed'}`, entityType: 'device_alert', entityId: id, changes })
  }
  return changed.filter(({ isOpen }) => isOpen)
}
