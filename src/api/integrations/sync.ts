import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import { type Cause, type Change, changesBetween, changing } from '../../http/events.ts'
import { type Connection, type Connections, type ProviderDevice, ProviderError } from '../../providers/provider.ts'
import type { AlertLimits } from '../device-alerts/conditions.ts'
import { reconcileAlerts } from '../device-alerts/reconcile.ts'
import { countDevices } from '../devices/device.ts'
import { limited, signalFor } from '../devices/limit.ts'
import { seenAll } from '../devices/seen.ts'
import { learnWords } from '../search/words.ts'

export type AccountId = { organizationId: string; accountId: string }

/** Everything an account has, read before anything is stored. `startedAt` is when reading began. */
export type Listing = { devices: ProviderDevice[]; startedAt: Date }

/** What a sync did to how many devices. `updated`: the name, type or ecosystem. `restored`: archived by a sync, and seen again. */
export type Synced = { seen: number; created: number; updated: number; archived: number; restored: number }

/** Reads the whole list within `limit` milliseconds. Throws ProviderError, and then nothing was read: half a list is none. */
export async function readListing(connection: Connection, limit: number, startedAt: Date): Promise<Listing> {
  const byId = new Map<string, ProviderDevice>()
  await limited(signalFor(limit), async (call) => {
    for await (const device of connection.list(call)) {
      if (call.signal.aborted) throw new ProviderError('timeout', 'The provider did not list its devices in time.')
      byId.set(device.externalId, device)
    }
  })
  return { devices: [...byId.values()], startedAt }
}

/**
 * Brings the account's devices in line with the list: new ones are stored, linked to no property; known ones updated, their
 * names only where nobody changed them; those that are no longer listed archived; those that a sync archived and that are seen again taken
 * back. A list that was begun before one that is stored already changes nothing. Throws ApiError `integration_not_found`.
 */
export async function storeListing(
  trx: Change,
  { organizationId, accountId }: AccountId,
  { devices, startedAt }: Listing,
  now: Date,
  limits: AlertLimits,
): Promise<Synced> {
  const [account] = await trx.rows<{ provider: string; isOutdated: boolean }>(sql`
    select provider, coalesce(last_synced_at > ${startedAt} and last_synced_at <= ${now}, false) as "isOutdated"
    from integration_accounts where organization_id = ${organizationId} and id = ${accountId} for no key update`)
  if (!account) throw new ApiError('integration_not_found')
  if (account.isOutdated) return { seen: devices.length, created: 0, updated: 0, archived: 0, restored: 0 }

  const before = await lockKnown(trx, { organizationId, accountId })
  const known = new Map(before.map((device) => [device.externalId, device.id]))
  const fresh = devices.filter(({ externalId }) => !known.has(externalId)).map((device) => ({ id: v7(), ...device }))
  const there = devices.flatMap((device) => {
    const id = known.get(device.externalId)
    return id ? [{ id, ...device }] : []
  })
  const listed = new Set(devices.map(({ externalId }) => externalId))
  // Once: what a person decides of a device that is gone stands until it is listed again.
  const gone = before.filter(({ externalId, isListed }) => isListed && !listed.has(externalId))
  const vanished = gone.filter(({ isArchived }) => !isArchived).map(({ id }) => id)

  if (fresh.length > 0) {
    await trx.run(sql`
      insert into devices (organization_id, id, integration_account_id, provider, external_id, name, provider_name, type, ecosystem,
        created_at, updated_at)
      select ${organizationId}, n.id, ${accountId}, ${account.provider}, n.external_id, n.name, n.name, n.type, n.ecosystem, ${now}, ${now}
      from ${asRows(fresh)} order by n.id`)
    await countDevices(trx, organizationId, fresh.length)
  }
  const changed = there.length === 0 ? [] : await update(trx, { organizationId, accountId }, there, now)
  if (gone.length > 0)
    await trx.run(sql`update devices set is_listed = false, archived_by_sync = archived_by_sync or not is_archived, is_archived = true,
        updated_at = case when is_archived then updated_at else ${now} end
      where organization_id = ${organizationId} and id = any(${gone.map(({ id }) => id)}::uuid[])`)
  const sightings = [...fresh, ...there].map(({ id, snapshot }) => ({ id, sighting: snapshot }))
  await seenAll(trx, organizationId, sightings, now, limits)
  await reconcileAlerts(trx, organizationId, vanished, now, limits)
  learnWords(trx, organizationId, ...devices.map(({ name }) => name))
  await trx.run(sql`update integration_accounts set last_synced_at = ${startedAt}, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${accountId}`)

  const restored = changed.filter(({ before, after }) => before.isArchived && !after.isArchived).map(({ id }) => id)
  const updated = changed
    .filter(({ before, after }) => Object.keys(changesBetween(before, after, told)).length > 0)
    .map(({ id }) => id)
  const changes = { created: fresh.map(({ id }) => id), updated, archived: vanished, restored }
  trx.event({ type: 'integration.synced', entityType: 'integration', entityId: accountId, changes })
  tell(trx, { fresh, changed, vanished, accountId })
  const counts = { created: fresh.length, updated: updated.length, archived: vanished.length, restored: restored.length }
  return { seen: devices.length, ...counts }
}

/** What a sync may change of a device, beside what was seen of it and whether it is archived. */
const told = ['name', 'type', 'ecosystem'] as const

/** Each device's own history says what happened to it. */
function tell(
  trx: Change,
  {
    fresh,
    changed,
    vanished,
    accountId,
  }: { fresh: readonly Row[]; changed: readonly Changed[]; vanished: readonly string[]; accountId: string },
): void {
  const event = (type: string, entityId: string, changes: Record<string, unknown>) =>
    trx.event({ type, entityType: 'device', entityId, changes })
  for (const { id, externalId, name, type } of fresh) {
    const integrationAccountId = { to: accountId }
    event('device.created', id, { name: { to: name }, type: { to: type }, externalId: { to: externalId }, integrationAccountId })
  }
  for (const { id, before, after } of changed) {
    const changes = changesBetween(before, after)
    if (Object.keys(changes).length > 0) event('device.updated', id, changes)
  }
  for (const id of vanished) event('device.updated', id, { isArchived: { from: false, to: true } })
}

type Known = { id: string; externalId: string; isArchived: boolean; isListed: boolean }

/** In the order of their ids, so that two who lock several do not wait for each other. */
const lockKnown = (trx: Trx, { organizationId, accountId }: AccountId): Promise<Known[]> =>
  trx.rows<Known>(sql`
    select id, external_id as "externalId", is_archived as "isArchived", is_listed as "isListed" from devices
    where organization_id = ${organizationId} and integration_account_id = ${accountId} and external_id is not null
    order by id for no key update`)

type Row = Pick<ProviderDevice, 'externalId' | 'name' | 'type' | 'ecosystem'> & { id: string }

const asRows = (rows: readonly Row[]) => sql`
  unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ externalId }) => externalId)}::text[],
    ${rows.map(({ name }) => name)}::text[], ${rows.map(({ type }) => type)}::text[],
    ${rows.map(({ ecosystem }) => ecosystem)}::text[]) n (id, external_id, name, type, ecosystem)`

type Fields = { name: string | null; type: string | null; ecosystem: string | null; isArchived: boolean }
type Changed = { id: string; before: Fields; after: Fields }

/** The devices that changed. What the provider does not say stays; a device that never had a name of its own takes the first. */
const update = (trx: Trx, { organizationId }: AccountId, rows: readonly Row[], now: Date) =>
  trx.rows<Changed>(sql`
    with wanted as (
      select d.id, coalesce(n.name, d.provider_name) as provider_name, coalesce(n.type, d.type) as type,
        coalesce(n.ecosystem, d.ecosystem) as ecosystem,
        case when d.name is not distinct from d.provider_name then coalesce(n.name, d.name) else d.name end as name,
        d.is_archived and not d.archived_by_sync as is_archived,
        json_build_object('name', d.name, 'type', d.type, 'ecosystem', d.ecosystem, 'isArchived', d.is_archived) as before
      from ${asRows(rows)} join devices d on d.organization_id = ${organizationId} and d.id = n.id)
    update devices d set name = w.name, provider_name = w.provider_name, type = w.type, ecosystem = w.ecosystem,
      is_archived = w.is_archived, archived_by_sync = false, is_listed = true, updated_at = ${now}
    from wanted w
    where d.organization_id = ${organizationId} and d.id = w.id
      and (not d.is_listed or (d.is_archived, d.name, d.type, d.ecosystem, d.provider_name)
        is distinct from (w.is_archived, w.name, w.type, w.ecosystem, w.provider_name))
    returning d.id, w.before,
      json_build_object('name', d.name, 'type', d.type, 'ecosystem', d.ecosystem, 'isArchived', d.is_archived) as after`)

/** A sync without a request: list, then one transaction. Throws ApiError `integration_not_connected`, ProviderError. `limit` in milliseconds. */
export async function sync(
  {
    database,
    connections,
    clock,
    config,
  }: {
    database: Parameters<typeof changing>[0]
    connections: Connections
    clock: () => Date
    config: AlertLimits
  },
  account: AccountId,
  { cause, limit }: { cause: Cause; limit: number },
): Promise<Synced> {
  const connection = await connections.of(account.organizationId, account.accountId)
  if (!connection) throw new ApiError('integration_not_connected')
  const listing = await readListing(connection, limit, clock())
  const now = clock()
  return changing(database, cause, now, (change) => storeListing(change, account, listing, now, config))
}
