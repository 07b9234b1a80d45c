import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import type { Connection } from './embedded.ts'

export type MigrateOptions = {
  directory?: string
  /** Told of each migration that was applied. */
  log?: (line: string) => void
  /** Milliseconds to wait for another process that is migrating the same database. */
  patience?: number
}

type Names = (text: string) => Promise<{ rows: { name: string }[] }>

const migrations = join(import.meta.dirname, 'migrations')

/**
 * Brings the database's schema up to date and answers the names of the migrations applied now. All of them are one
 * transaction, and of several processes that start at once one does it while the others wait.
 */
export async function migrate(connection: string | Connection, options: MigrateOptions = {}): Promise<string[]> {
  const { directory = migrations, log, patience = 120_000 } = options
  const target = typeof connection === 'string' ? { connectionString: connection } : connection
  const client = new pg.Client({ ...target, application_name: 'steward migrate', connectionTimeoutMillis: 10_000 })
  // A connection that breaks fails the statement under way; without a listener it would end the process too.
  client.on('error', () => {})
  await client.connect()
  try {
    await waitForTurn(client, patience)
    await refuseOldServer(client)
    const pending = await pendingMigrations((text) => client.query(text), directory)
    if (pending.length > 0) await apply(client, directory)
    await client.query('commit')
    for (const name of pending) log?.(`applied migration ${name}`)
    return pending
  } finally {
    await client.end()
  }
}

/** The migrations that the database still lacks. Throws when it has some that this version does not know. */
export async function pendingMigrations(query: Names, directory = migrations): Promise<string[]> {
  const files = await readdir(directory)
  const known = files.filter((file) => /^\d.*\.sql$/.test(file)).map((file) => basename(file, '.sql'))
  const table = await query(`select 'migrations' as name where to_regclass('public.migrations') is not null`)
  const applied = table.rows.length > 0 ? (await query('select name from public.migrations')).rows.map((row) => row.name) : []
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    const message = `The database was migrated by a newer version of Steward (it has ${unknown.sort().join(', ')}).`
    throw Object.assign(new Error(`${message} Run that version, or restore a backup made before.`), { code: 'database_is_newer' })
  }
  return known.filter((name) => !applied.includes(name)).sort()
}

async function refuseOldServer(client: pg.Client) {
  const { rows } = await client.query(`select current_setting('server_version_num')::int as number, version() as version`)
  if (rows[0].number < 150_000) throw new Error(`Steward needs PostgreSQL 15 or newer; this server is ${rows[0].version}`)
}

/** On PostgreSQL the lock makes processes take turns; on the embedded engine, where all are one session, the transaction does. */
async function waitForTurn(client: pg.Client, patience: number) {
  try {
    await client.query(Object.assign({ text: 'begin' }, { query_timeout: patience }))
    await client.query(`set local lock_timeout = ${patience}; set local statement_timeout = 0`)
    await client.query(`select pg_advisory_xact_lock(hashtext('steward migrations'))`)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== '55P03' && message !== 'Query read timeout') throw error
    const seconds = Math.round(patience / 1000)
    const advice = 'Find out what it waits for, then start again.'
    throw new Error(`Another process has been migrating this database for ${seconds} s. ${advice}`, { cause: error })
  }
}

async function apply(client: pg.Client, directory: string) {
  // Loaded only when needed: most starts find nothing to do.
  const { runner } = await import('node-pg-migrate')
  let doing = ''
  const note = (line: string) => {
    doing = /MIGRATION (\S+)/.exec(line)?.[1] ?? doing
  }
  const logger = { info: note, warn() {}, error() {} }
  const options = { dir: directory, migrationsTable: 'migrations', direction: 'up', checkOrder: true } as const
  // Its "begin" finds the transaction that waitForTurn began, and its "commit" ends that.
  await runner({ ...options, dbClient: client, noLock: true, singleTransaction: true, logger }).catch((error: Error) => {
    throw new Error(doing ? `Migration ${doing} failed: ${error.message}` : error.message, { cause: error })
  })
}
