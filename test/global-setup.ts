import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, openEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { createDatabase } from './database.ts'

let drop: (() => Promise<void>) | undefined

/** One migrated database for all test files of the run: on the server that TEST_DATABASE_URL names, or else embedded. */
export async function globalSetup() {
  const server = process.env.TEST_DATABASE_URL
  const database = server ? await onServer(server) : await embedded()
  drop = database.drop
  try {
    await migrate(database.connection)
  } catch (error) {
    await drop()
    throw error
  }
  // The test files run in processes that inherit both. Compiling the service takes half of a small one's time.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/steward')
  process.env.STEWARD_TEST_DATABASE =
    typeof database.connection === 'string' ? database.connection : JSON.stringify(database.connection)
}

export async function globalTeardown() {
  await drop?.()
}

type TestDatabase = { connection: Connection | string; drop: () => Promise<void> }

async function onServer(server: string): Promise<TestDatabase> {
  const { url, drop } = await createDatabase(server)
  return { connection: url, drop }
}

async function embedded(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'steward-test-'))
  const onCrash = (error: Error) => console.error(error)
  const { connection, close } = await openEmbedded(directory, { purpose: 'server', sync: false, onCrash })
  const drop = async () => {
    await close()
    await rm(directory, { recursive: true, force: true })
  }
  return { connection, drop }
}
