import type { AlertLimits } from '../api/device-alerts/conditions.ts'
import { reconcileAlerts } from '../api/device-alerts/reconcile.ts'
import { seenAll } from '../api/devices/seen.ts'
import { readListing } from '../api/integrations/sync.ts'
import type { Database } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { type Cause, type Change, changing } from '../http/events.ts'
import { type Connection, type Connections, type DeviceSnapshot, ProviderError } from '../providers/provider.ts'

export type PollOptions = {
  database: Database
  connections: Connections
  clock: () => Date
  limits: AlertLimits
  /** Milliseconds between two polls of an account. */
  interval: number
  /** Milliseconds that a provider may take to list its devices. */
  timeout: number
  /** Names this node: whoever took an account last. */
  node: string
  /** Aborted when the service stops. */
  stopping: AbortSignal
}

export type Account = { organizationId: string; accountId: string; failures: number }

/** Milliseconds: an account that fails is tried at least this often, and a provider's own word is believed up to a day. */
const longestPause = 3_600_000
const longestWord = 86_400_000
/** Devices of a transaction: it holds their rows, and a request for one of them waits for it. */
const batch = 100

const byItself = (organizationId: string): Cause => ({
  organizationId,
  memberId: null,
  keyId: null,
  requestId: null,
  idempotencyKey: null,
})

/** In a transaction of its own. Where it and a request lock the same rows in different orders, it is tried again. */
async function byTurns(
  database: Database,
  organizationId: string,
  now: Date,
  work: (trx: Change) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await changing(database, byItself(organizationId), now, work)
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || attempt === 3) throw error
    }
  }
}

/**
 * Reads an account's devices and stores what was seen of those that are known; which devices there are is the matter of a
 * sync. What came of it is stored with the account. `connected` is told of the connection before anything is asked.
 */
export async function poll(options: PollOptions, account: Account, connected: (connection: Connection) => void): Promise<void> {
  const { database, connections, clock, limits, timeout, stopping } = options
  const { organizationId, accountId } = account
  const startedAt = clock()
  const connection = await connections.of(organizationId, accountId)
  if (!connection) return fail(options, account, 'not_connected')
  connected(connection)
  let snapshots: Map<string, DeviceSnapshot>
  try {
    const { devices } = await unless(stopping, readListing(connection, timeout, startedAt))
    snapshots = new Map(devices.map(({ externalId, snapshot }) => [externalId, snapshot]))
  } catch (error) {
    if (stopping.aborted) return
    const known = error instanceof ProviderError
    await fail(options, account, known ? error.code : 'bad_response', known ? error.retryAfter : undefined)
    if (known) return
    throw error
  }
  const devices = await devicesOf(database, account)
  for (const some of batches(devices.filter(({ externalId }) => snapshots.has(externalId ?? ''))))
    await storeSeen(options, account, some, snapshots, startedAt)
  await settle(options, account, sql`last_polled_at = ${startedAt}, last_poll_error = null, poll_failures = 0`, jittered(options))
  const unseen = devices.filter(({ externalId }) => !snapshots.has(externalId ?? '')).map(({ id }) => id)
  await reconcile({ database, clock, limits }, organizationId, unseen)
}

type Known = { id: string; externalId: string | null }

/** Those of the account, and those without any that still have an open alert: an import may have taken them out of one. */
const devicesOf = ({ reader }: Database, { organizationId, accountId }: Account): Promise<Known[]> =>
  reader().db.rows<Known>(sql`
    select id, external_id as "externalId" from devices
    where organization_id = ${organizationId} and integration_account_id = ${accountId} and not is_archived
    union
    select d.id, null from device_alerts a join devices d on d.organization_id = a.organization_id and d.id = a.device_id
    where a.organization_id = ${organizationId} and a.closed_at is null
      and (d.is_archived or d.integration_account_id is null)
    order by id`)

/** In the order of their ids, so that two who lock several do not wait for each other. */
export const storeSeen = (
  { database, clock, limits }: Pick<PollOptions, 'database' | 'clock' | 'limits'>,
  { organizationId }: { organizationId: string },
  devices: readonly Known[],
  snapshots: ReadonlyMap<string, DeviceSnapshot>,
  polledAt: Date,
  mayStore: (trx: Change) => Promise<boolean> = async () => true,
): Promise<void> =>
  byTurns(database, organizationId, clock(), async (trx) => {
    if (!(await mayStore(trx))) return
    const sightings = devices.flatMap(({ id, externalId }) => {
      const sighting = snapshots.get(externalId ?? '')
      return sighting ? [{ id, sighting }] : []
    })
    await seenAll(trx, organizationId, sightings, polledAt, limits)
  })

async function fail(options: PollOptions, account: Account, code: string, retryAfter = 0): Promise<void> {
  const { database, interval } = options
  const failures = Math.min(account.failures + 1, 30)
  const pause = Math.min(interval * 2 ** failures, Math.max(longestPause, interval))
  const next = Math.max(jittered(options, pause), Math.min(retryAfter, longestWord))
  await settle(options, account, sql`last_poll_error = ${code}, poll_failures = ${failures}`, next)
  // Nobody sees them: they may become stale.
  const devices = await devicesOf(database, account)
  await reconcile(
    options,
    account.organizationId,
    devices.map(({ id }) => id),
  )
}

/** Not where the account was changed meanwhile, or taken by another node because this one was away for too long. */
const settle = ({ database, clock, node }: PollOptions, account: Account, what: ReturnType<typeof sql>, pause: number) =>
  database.atOnce(sql`
    update integration_accounts set ${what}, next_poll_at = ${new Date(clock().getTime() + pause)}
    where organization_id = ${account.organizationId} and id = ${account.accountId} and watched_by = ${node}`)

async function reconcile(
  { database, clock, limits }: Pick<PollOptions, 'database' | 'clock' | 'limits'>,
  organizationId: string,
  ids: readonly string[],
): Promise<void> {
  for (const some of batches(ids)) {
    const now = clock()
    await byTurns(database, organizationId, now, (trx) => reconcileAlerts(trx, organizationId, some, now, limits))
  }
}

/** A tenth more or less, so that accounts that were added together are not polled together for ever. */
const jittered = ({ interval }: PollOptions, pause = interval): number => Math.round(pause * (0.9 + Math.random() * 0.2))

const batches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / batch) }, (_, i) => all.slice(i * batch, (i + 1) * batch))

/** Ends with the signal, whatever the work does. */
export function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(new Error('The service stops.'))
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return Promise.race([work, ended.promise]).finally(() => signal.removeEventListener('abort', end))
}
