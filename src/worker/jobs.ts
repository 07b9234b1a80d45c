import type { AlertLimits } from '../api/device-alerts/conditions.ts'
import type { Database } from '../db/db.ts'
import { forgetExpired } from '../http/idempotency.ts'
import type { Connections } from '../providers/provider.ts'
import { settleCommands } from './settle-commands.ts'
import type { Job } from './worker.ts'

export type Surroundings = {
  database: Database
  connections: Connections
  config: { providerTimeout: number } & AlertLimits
  clock: () => Date
}

/** Everything that runs without a request, a line each. */
export const jobs = ({ database, connections, config, clock }: Surroundings): Job[] => [
  { name: 'forget idempotency records', interval: 3_600_000, run: () => forgetExpired(database, clock()) },
  {
    name: 'settle device commands',
    interval: 1_000,
    run: () => settleCommands({ database, connections, clock, providerTimeout: config.providerTimeout, limits: config }),
  },
]
