import { keepCosts } from '../api/costs/kept.ts'
import type { AlertLimits } from '../api/device-alerts/conditions.ts'
import type { Database } from '../db/db.ts'
import { forgetExpired } from '../http/idempotency.ts'
import type { Connections } from '../providers/provider.ts'
import { settleCommands } from './settle-commands.ts'
import { watch } from './watch.ts'
import type { Job } from './worker.ts'

export type Surroundings = {
  database: Database
  connections: Connections
  config: { providerTimeout: number; pollInterval: number } & AlertLimits
  clock: () => Date
}

/** Everything that runs without a request. */
export function jobs({ database, connections, config, clock }: Surroundings): Job[] {
  const { providerTimeout, pollInterval } = config
  const given = { database, connections, clock, limits: config }
  const watcher = pollInterval > 0 ? watch({ ...given, interval: pollInterval }) : undefined
  return [
    { name: 'forget idempotency records', interval: 3_600_000, run: () => forgetExpired(database, clock()) },
    { name: 'keep costs', interval: 600_000, run: () => keepCosts(database, { now: clock() }) },
    { name: 'settle device commands', interval: 1_000, run: () => settleCommands({ ...given, providerTimeout }) },
    ...(watcher ? [{ name: 'watch accounts', interval: 1_000, run: watcher.run, stop: watcher.stop }] : []),
  ]
}
