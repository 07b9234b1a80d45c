import { simulationStore } from '../../api/devices/simulated-device.ts'
import { connections as openConnections } from '../../api/integrations/connections.ts'
import type { Database } from '../../db/db.ts'
import { isUuid, sql } from '../../db/sql.ts'
import type { Connections } from '../../providers/provider.ts'
import { providers } from '../../providers/registry.ts'
import { withDatabase } from '../database.ts'
import { progress } from '../output.ts'

const clock = () => new Date()

/** Milliseconds that a command waits for a provider: a person at a terminal has more time than a request. */
export const patience = 120_000

/** Runs a command's work with the database and the accounts' connections, whether a server runs or not. */
export const withConnections = <T>(work: (given: { database: Database; connections: Connections }) => Promise<T>): Promise<T> =>
  withDatabase(async (database, { encryptionKey }) => {
    const connections = openConnections({
      database,
      providers,
      secret: encryptionKey,
      surroundings: (organizationId, accountId) => ({
        clock,
        simulation: simulationStore(database, organizationId, accountId, clock),
      }),
      onUnusable: ({ message }) => progress(`the settings cannot be used: ${message}`),
    })
    try {
      return await work({ database, connections })
    } finally {
      await connections.close()
    }
  })

/** The account with this id, whosever it is; throws an Error where there is none. */
export async function findAccount(database: Database, id: string): Promise<{ organizationId: string; accountId: string }> {
  const [account] = isUuid(id)
    ? await database.reader().db.rows<{ organizationId: string }>(sql`
        select organization_id as "organizationId" from integration_accounts where id = ${id}`)
    : []
  if (!account) throw new Error(`there is no integration with the id "${id}"; \`npx steward integrations list\` shows them`)
  return { ...account, accountId: id.toLowerCase() }
}
