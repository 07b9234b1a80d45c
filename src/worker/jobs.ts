import { keepCosts } from '../api/costs/kept.ts'
import type { Database } from '../db/db.ts'
import { forgetExpired } from '../http/idempotency.ts'
import type { Connections } from '../providers/provider.ts'
import { settleCommands } from './settle-commands.ts'
import type { Job } from './worker.ts'

export type Surroundings = {
  database: Database
  connections: Connections
  config: { providerTimeout: number }
  clock: () => Date
}

/** Everything that runs without a request, a line each. */
export const jobs = ({ database, connections, config: { providerTimeout }, clock }: Surroundings): Job[] => [
  { name: 'forget idempotency records', interval: 3_600_000, run: () => forgetExpired(database, clock()) },
  { name: 'keep costs', interval: 600_000, run: () => keepCosts(database, { now: clock() }) },
  {
    name: 'settle device commands',
    interval: 1_000,
    run: () => settleCommands({ database, connections, clock, providerTimeout }),
  },
]
