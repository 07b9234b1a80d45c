import { sql } from '../db/sql.ts'
import type { Connection, DeviceSnapshot } from '../providers/provider.ts'
import { type Account, type PollOptions, storeSeen } from './poll.ts'

export type Subscriptions = {
  /** Listens to the account from now on, where its provider tells of changes. */
  keep(account: Account, connection: Connection): void
  /** Stores what was told since; ends those whose account was removed, changed or taken by another node. */
  flush(): Promise<void>
  /** Stores what was told and ends all; answers whose they were. */
  stop(): Promise<Account[]>
}

type Held = { account: Account; connection: Connection; end: () => void; told: Map<string, DeviceSnapshot> }
type Options = Pick<PollOptions, 'database' | 'clock' | 'limits' | 'node'>

/**
 * What providers tell by themselves, of the accounts that this node watches. It is kept for a moment and stored together, one
 * state for each device, however much a device talks.
 */
export function subscriptions(options: Options): Subscriptions {
  const { database, clock, node } = options
  const held = new Map<string, Held>()

  function drop(key: string): void {
    held.get(key)?.end()
    held.delete(key)
  }

  async function store({ account, told }: Held): Promise<void> {
    if (told.size === 0) return
    const news = new Map(told)
    told.clear()
    const { organizationId, accountId } = account
    const devices = await database.reader().db.rows<{ id: string; externalId: string }>(sql`
      select id, external_id as "externalId" from devices where organization_id = ${organizationId}
        and integration_account_id = ${accountId} and external_id = any(${[...news.keys()]}) and not is_archived
      order by id`)
    // Locked, so that it is neither removed nor changed while its devices are written.
    await storeSeen(options, account, devices, news, clock(), async (trx) => {
      const rows = await trx.rows(sql`select 1 as found from integration_accounts
        where organization_id = ${organizationId} and id = ${accountId} and watched_by = ${node} for key share`)
      return rows.length > 0
    })
  }

  return {
    keep(account, connection) {
      const key = keyOf(account)
      if (held.get(key)?.connection === connection || !connection.subscribe) return
      drop(key)
      const told: Held['told'] = new Map()
      const end = connection.subscribe((externalId, snapshot) => told.set(externalId, joined(told.get(externalId), snapshot)))
      held.set(key, { account, connection, end, told })
    },
    async flush() {
      if (held.size === 0) return
      const rows = await database.reader().db.rows<Account>(sql`
        select organization_id as "organizationId", id as "accountId" from integration_accounts where watched_by = ${node}`)
      const ours = new Set(rows.map(keyOf))
      for (const key of held.keys()) if (!ours.has(key)) drop(key)
      const results = await Promise.allSettled([...held.values()].map(store))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
    async stop() {
      const all = [...held.values()]
      for (const key of [...held.keys()]) drop(key)
      await Promise.allSettled(all.map(store))
      return all.map(({ account }) => account)
    },
  }
}

const keyOf = ({ organizationId, accountId }: Pick<Account, 'organizationId' | 'accountId'>): string =>
  `${organizationId}/${accountId}`

/** What the later one does not say was said by the earlier, a moment before. */
const joined = (earlier: DeviceSnapshot | undefined, later: DeviceSnapshot): DeviceSnapshot => ({
  ...later,
  online: later.online ?? earlier?.online ?? null,
  battery: later.battery ?? earlier?.battery ?? null,
  lock: later.lock ?? earlier?.lock ?? null,
  climate: later.climate ?? earlier?.climate ?? null,
})
