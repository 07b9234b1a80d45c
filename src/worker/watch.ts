import { v7 } from 'uuid'
import { and, sql } from '../db/sql.ts'
import { type Account, type PollOptions, poll } from './poll.ts'
import { subscriptions } from './subscriptions.ts'

export type WatchOptions = Pick<PollOptions, 'database' | 'connections' | 'clock' | 'limits' | 'interval'> & {
  /** Milliseconds that a provider may take to list its devices. */
  timeout?: number
  /** Accounts that are polled at once; those that failed last have half of the places. */
  places?: number
  /** Of this organization alone; of all unless given. */
  organizationId?: string
}

export type Watch = {
  /** Begins the polls that are due, and stores what was told. Waits for no provider. Throws what went wrong since the last time. */
  run(): Promise<void>
  /** Ends with the polls that are under way. */
  settled(): Promise<void>
  /** Ends all of it; what was under way is taken up by another node at once. */
  stop(): Promise<void>
}

/**
 * Watches the accounts of all organizations at their pace, which all nodes share: a node takes an account that is due, and
 * moves the time of its next poll ahead in the same statement.
 */
export function watch({ timeout = 60_000, places = 20, organizationId, ...rest }: WatchOptions): Watch {
  const node = v7()
  const stopper = new AbortController()
  const options: PollOptions = { ...rest, timeout, node, stopping: stopper.signal }
  const told = subscriptions(options)
  const underWay = new Map<Account, Promise<void>>()
  let failures: Error[] = []

  function begin(account: Account): void {
    const done = poll(options, account, (connection) => {
      if (!stopper.signal.aborted) told.keep(account, connection)
    })
      .catch((error: Error) => void failures.push(error))
      .then(() => void underWay.delete(account))
    underWay.set(account, done)
  }

  /** Those that failed last wait for those that did not, so that providers that hang leave places for the others. */
  async function beginDue(failing: boolean): Promise<void> {
    const busy = [...underWay.keys()].filter(({ failures }) => failures > 0 === failing).length
    const free = Math.min(places - underWay.size, failing ? Math.floor(places / 2) - busy : places)
    if (free <= 0) return
    for (const account of await take(options, { failing, free, organizationId })) begin(account)
  }

  return {
    async run() {
      await beginDue(false)
      await beginDue(true)
      await told.flush()
      const [failure] = failures
      failures = []
      if (failure) throw failure
    },
    async settled() {
      await Promise.all(underWay.values())
    },
    async stop() {
      stopper.abort()
      const left = [...underWay.keys()]
      await Promise.all(underWay.values())
      await release(options, [...left, ...(await told.stop())])
    },
  }
}

type Wanted = { failing: boolean; free: number; organizationId: string | undefined }

/** No other node takes them until the provider's time and a pause are over, should this one die. */
function take(
  { database, clock, timeout, interval, node }: PollOptions,
  { failing, free, organizationId }: Wanted,
): Promise<Account[]> {
  const now = clock()
  return database.atOnce<Account>(sql`
    with due as (
      select a.organization_id, a.id from integration_accounts a where ${and(
        sql`a.next_poll_at <= ${now} and (a.poll_failures > 0) = ${failing}`,
        organizationId && sql`a.organization_id = ${organizationId}`,
      )}
      order by a.next_poll_at limit ${free} for update skip locked)
    update integration_accounts a set next_poll_at = ${new Date(now.getTime() + timeout + interval)}, watched_by = ${node}
    from due where a.organization_id = due.organization_id and a.id = due.id
    returning a.organization_id as "organizationId", a.id as "accountId", a.poll_failures as failures`)
}

const release = async ({ database, clock, node }: PollOptions, accounts: readonly Account[]): Promise<void> => {
  if (accounts.length === 0) return
  await database.atOnce(sql`
    update integration_accounts a set next_poll_at = ${clock()}, watched_by = null
    from unnest(${accounts.map((account) => account.organizationId)}::uuid[], ${accounts.map(({ accountId }) => accountId)}::uuid[]) n (organization_id, id)
    where a.organization_id = n.organization_id and a.id = n.id and a.watched_by = ${node}`)
}
