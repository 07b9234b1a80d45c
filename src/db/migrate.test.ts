import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { createDatabase } from '../../test/database.ts'
import { type Connection, openEmbedded } from './embedded.ts'
import { migrate, pendingMigrations } from './migrate.ts'

const server = process.env.TEST_DATABASE_URL
const root = mkdtempSync(join(tmpdir(), 'steward-migrate-test-'))
const engine = server ? undefined : await openEmbedded(join(root, 'data'), { purpose: 'server', sync: false })
after(async () => {
  await engine?.close()
  rmSync(root, { recursive: true, force: true })
})

test('an empty database is brought up to date, once', async (t) => {
  const connection = await emptyDatabase(t)
  const all = readdirSync(join(import.meta.dirname, 'migrations')).map((file) => file.replace('.sql', ''))
  const client = await connected(t, connection)
  const pending = () => pendingMigrations((text) => client.query(text))

  assert.deepEqual(await pending(), all)
  const lines: string[] = []
  assert.deepEqual(await migrate(connection, { log: (line) => lines.push(line) }), all)
  assert.equal(lines.length, all.length)
  assert.deepEqual(await pending(), [])
  assert.deepEqual(await migrate(connection), [])
  assert.equal((await client.query('select from organizations')).rowCount, 0)
})

test('a migration that fails is named, and leaves nothing behind', async (t) => {
  const connection = await emptyDatabase(t)
  const directory = migrations({
    '0001_one': 'create table one (id int)',
    '0002_two': 'create table two (id int); select nonsense',
  })
  await assert.rejects(migrate(connection, { directory }), /0002_two failed: .*nonsense/)
  const client = await connected(t, connection)
  assert.deepEqual((await client.query(`select to_regclass('one') as one, to_regclass('migrations') as table`)).rows, [
    { one: null, table: null },
  ])
})

test('a database that newer software has migrated is refused', async (t) => {
  const connection = await emptyDatabase(t)
  const one = { '0001_one': 'create table one (id int)' }
  await migrate(connection, { directory: migrations({ ...one, '0002_two': 'create table two (id int)' }) })
  const refused = { code: 'database_is_newer', message: /newer version of Steward.*0002_two/ }
  await assert.rejects(migrate(connection, { directory: migrations(one) }), refused)
  const client = await connected(t, connection)
  await assert.rejects(
    pendingMigrations((text) => client.query(text), migrations(one)),
    refused,
  )
})

test('a migration that should have come before one that was applied is refused', async (t) => {
  const connection = await emptyDatabase(t)
  const two = { '0002_two': 'create table two (id int)' }
  await migrate(connection, { directory: migrations(two) })
  await assert.rejects(
    migrate(connection, { directory: migrations({ ...two, '0001_one': 'create table one (id int)' }) }),
    /0001_one/,
  )
})

test('of five that migrate at once one does it and none fails', async (t) => {
  const connection = await emptyDatabase(t)
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => inProcess(connection)))
  assert.equal(outcomes.filter((applied) => applied === '').length, 4)
})

test('the wait for another that migrates is bounded, and its end explained', async (t) => {
  const connection = await emptyDatabase(t)
  const other = await connected(t, connection)
  await other.query(`begin; select pg_advisory_xact_lock(hashtext('steward migrations'))`)
  await assert.rejects(migrate(connection, { patience: 300 }), /Another process has been migrating/)
  await other.query('rollback')
  assert.ok((await migrate(connection)).length > 0)
})

/** The names that another process applied. */
async function inProcess(connection: Connection | string): Promise<string> {
  const code = `
    import { migrate } from ${JSON.stringify(import.meta.resolve('./migrate.ts'))}
    process.stdout.write((await migrate(${JSON.stringify(connection)})).join())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  assert.deepEqual(await once(child, 'close'), [0, null])
  return said
}

async function emptyDatabase(t: TestContext): Promise<Connection | string> {
  if (server) {
    const { url, drop } = await createDatabase(server)
    t.after(drop)
    return url
  }
  const client = await connected(t, engine!.connection)
  await client.query('drop schema public cascade; create schema public')
  return engine!.connection
}

async function connected(t: TestContext, connection: Connection | string): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

let directories = 0
function migrations(files: Record<string, string>): string {
  const directory = mkdtempSync(join(root, `migrations-${++directories}-`))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.sql`), text)
  return directory
}
