import { readConfig } from '../config.ts'
import { type OpenedDatabase, openConfigured } from '../database.ts'
import type { Database } from '../db/db.ts'
import type { Cause } from '../http/events.ts'
import { progress } from './output.ts'

/** A command may take its time over a statement (an import, a migration of many rows); requests may not. */
const statementTimeout = 10 * 60_000

/** In the audit log, what a command does is done by nobody's key. */
export const byCommand = (organizationId: string): Cause => ({
  organizationId,
  memberId: null,
  keyId: null,
  requestId: null,
  idempotencyKey: null,
})

/** Runs a command's work on the database that the environment names, whether a server runs on it or not. */
export async function withDatabase<T>(
  work: (database: Database, about: Pick<OpenedDatabase, 'migrated' | 'encryptionKey'>) => Promise<T>,
): Promise<T> {
  const config = { ...readConfig(), poolSize: 2, statementTimeout }
  const { database, close, ...about } = await openConfigured(config, { purpose: 'command', progress })
  try {
    return await work(database, about)
  } finally {
    await close()
  }
}
