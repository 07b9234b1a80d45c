import type { Config } from './config.ts'
import { type Database, openDatabase } from './db/db.ts'
import { openEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { keptEncryptionKey } from './encryption-key.ts'

export type OpenOptions = {
  /** A server is alone on an embedded database; a command may share it with the server that runs on it. */
  purpose: 'server' | 'command'
  /** Told, in a line for people, what takes a while. */
  progress?: (line: string) => void
  /** The embedded engine ended by itself: nothing can be read or written any more. */
  onCrash?: (error: Error) => void
  /** A connection broke while idle; the next use makes a new one. */
  onError?: (error: Error) => void
}

/** The database that the configuration names, with every migration applied, and the names of those that were applied now. */
export type OpenedDatabase = {
  database: Database
  migrated: string[]
  /** What settings of integrations are encrypted under; undefined where DATABASE_URL is given and STEWARD_ENCRYPTION_KEY is not. */
  encryptionKey: Buffer | undefined
  close(): Promise<void>
}

/** Opens the database of DATABASE_URL, or else the embedded one in the data directory. */
export async function openConfigured(config: Config, { onError, ...options }: OpenOptions): Promise<OpenedDatabase> {
  const engine = config.databaseUrl === undefined ? await openEmbedded(config.dataDir, options) : undefined
  const connection = engine?.connection ?? config.databaseUrl!
  try {
    const encryptionKey = config.encryptionKey ?? (engine && (await keptEncryptionKey(config.dataDir)))
    const migrated = await migrate(connection, options.progress ? { log: options.progress } : {})
    const database = openDatabase({ ...config, connection, ...(onError ? { onError } : {}) })
    const close = async () => {
      await database.close()
      await engine?.close()
    }
    return { database, migrated, encryptionKey, close }
  } catch (error) {
    await engine?.close()
    throw error
  }
}
