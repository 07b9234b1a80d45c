import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Connection, type EmbeddedOptions, openEmbedded } from './embedded.ts'

const root = mkdtempSync(join(tmpdir(), 'steward-embedded-test-'))
const template = join(root, 'template')

before(async () => {
  const engine = await openEmbedded(template, { purpose: 'server', sync: false })
  const client = await connected(engine.connection)
  await client.query('create table numbers (id int primary key)')
  await client.end()
  await engine.close()
})
after(() => rmSync(root, { recursive: true, force: true }))

test('a second server on a data directory is refused, and told by whom', async (t) => {
  const directory = copy()
  const holder = inChild(t, holding, directory, 'server')
  await holder.line('open')

  await assert.rejects(openEmbedded(directory, { purpose: 'server' }), (error: Error & { code: string }) => {
    assert.equal(error.code, 'data_directory_in_use')
    assert.match(error.message, new RegExp(`process ${holder.process.pid}\\b.*STEWARD_DATA_DIR`))
    return true
  })
  await assert.rejects(openEmbedded(join(directory, '..', 'x', '..', directory.split('/').at(-1)!), { purpose: 'server' }))
})

test('of several servers that start at once one wins', async (t) => {
  const directory = join(root, 'race')
  const starters = Array.from({ length: 4 }, () => inChild(t, holding, directory, 'server'))
  const outcomes = await Promise.all(starters.map(({ line }) => line()))
  assert.deepEqual(outcomes.sort(), ['data_directory_in_use', 'data_directory_in_use', 'data_directory_in_use', 'open'])
})

test('a command joins the server that runs, and leaves it running', async (t) => {
  const directory = copy()
  const server = await opened(t, directory)
  const command = inChild(t, insertOne, directory, '1')
  assert.equal(await command.line(), 'joined')
  await command.exited

  const client = await connected(server.connection, t)
  assert.deepEqual((await client.query('select id from numbers')).rows, [{ id: 1 }])
})

test('a command waits for a server that is still starting', async (t) => {
  const directory = join(root, 'starting')
  const server = inChild(t, holding, directory, 'server')
  await server.line('creating the embedded database (a few seconds, once)')
  const engine = await openEmbedded(directory, { purpose: 'command' })
  assert.equal(engine.owned, false)
  const client = await connected(engine.connection)
  assert.equal((await client.query('select 1')).rowCount, 1)
  await client.end()
})

test('a command that owns the engine waits for another that joined it, and then frees the directory', async (t) => {
  const directory = copy()
  const owner = await openEmbedded(directory, { purpose: 'command', sync: false })
  assert.equal(owner.owned, true)
  const joined = inChild(t, slowTransaction, directory)
  await joined.line('begun')
  await owner.close()
  assert.equal(await joined.line(), 'committed')

  const next = await opened(t, directory)
  const client = await connected(next.connection, t)
  assert.equal((await client.query('select from numbers')).rowCount, 3)
})

test('kill -9 while rows are written loses none that was acknowledged, and the next start takes less than three seconds', async (t) => {
  const directory = copy()
  const writer = inChild(t, insertForEver, directory)
  let acknowledged = 0
  while (acknowledged < 500) acknowledged = Number(await writer.line())
  writer.process.kill('SIGKILL')
  for await (const line of writer.rest()) acknowledged = Number(line)

  const began = performance.now()
  const engine = await opened(t, directory)
  const client = await connected(engine.connection, t)
  const { rows } = await client.query('select count(*)::int as count, max(id) as max from numbers')
  assert.ok(performance.now() - began < 3000)
  assert.ok(rows[0].max >= acknowledged, `row ${acknowledged} was acknowledged, ${rows[0].max} is the last`)
  assert.equal(rows[0].count, rows[0].max)
})

test('kill -9 while the cluster is created leaves nothing that the next start takes for a database', async (t) => {
  const directory = join(root, 'creation')
  for (const milliseconds of [100, 700, 1200]) {
    const starter = inChild(t, holding, directory, 'server')
    await starter.line('creating the embedded database (a few seconds, once)')
    await sleep(milliseconds)
    starter.process.kill('SIGKILL')
    await starter.exited
    if (existsSync(join(directory, 'pg'))) break
  }
  // As if the kill had come while its files were written.
  rmSync(join(directory, 'pg'), { recursive: true, force: true })
  mkdirSync(join(directory, 'pg.new', 'base'), { recursive: true })
  writeFileSync(join(directory, 'pg.new', 'PG_VERSION'), readFileSync(join(template, 'pg', 'PG_VERSION')))

  const engine = await opened(t, directory)
  const client = await connected(engine.connection, t)
  assert.equal((await client.query('select 1')).rowCount, 1)
  assert.ok(!existsSync(join(directory, 'pg.new')))
})

test('the data belong to this user alone', async (t) => {
  const directory = copy()
  const { connection } = await opened(t, directory)
  for (const path of [join(directory, 'pg'), connection.host]) assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a data directory whose path is too long for a socket works, also for a command', async (t) => {
  const directory = copy(join('a'.repeat(100), 'b'.repeat(100)))
  const engine = await opened(t, directory)
  const command = inChild(t, insertOne, directory, '7')
  assert.equal(await command.line(), 'joined')
  await command.exited
  await engine.close()
  assert.ok(!existsSync(engine.connection.host))
})

test('an engine that ends by itself is reported, and leaves the directory free', async (t) => {
  const directory = copy()
  let report = (_error: Error) => {}
  const crashed = new Promise<Error>((resolve) => {
    report = resolve
  })
  const engine = await openEmbedded(directory, { purpose: 'server', sync: false, onCrash: report })
  const client = await connected(engine.connection)
  // Deeper than any stack: the one way known to break the engine.
  const nested = `${'['.repeat(20_000_000)}${']'.repeat(20_000_000)}`
  await assert.rejects(client.query('select $1::jsonb is null', [nested]))
  assert.match((await crashed).message, /embedded database has broken down/)
  await engine.close()
  await opened(t, directory)
})

test('an engine that is closed does not keep the process alive', async (t) => {
  const child = inChild(t, `const engine = await open('server'); console.log('open'); await engine.close()`, copy())
  await child.line('open')
  assert.deepEqual(await Promise.race([child.exited, sleep(5000, 'still running')]), [0, null])
})

const holding = `await open(process.argv[2]).then(() => console.log('open'), (error) => console.log(error.code))`
const insertOne = `
  const engine = await open('command')
  const client = new pg.Client(engine.connection)
  await client.connect()
  await client.query('insert into numbers values ($1)', [process.argv[2]])
  await client.end()
  console.log(engine.owned ? 'owned' : 'joined')
  await engine.close()`
const slowTransaction = `
  const engine = await open('command')
  const client = new pg.Client(engine.connection)
  await client.connect()
  await client.query('begin')
  console.log('begun')
  for (let id = 1; id <= 3; id++) {
    await client.query('insert into numbers values ($1)', [id])
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await client.query('commit')
  console.log('committed')
  await client.end()`
const insertForEver = `
  const engine = await open('server')
  const client = new pg.Client(engine.connection)
  await client.connect()
  for (let id = 1; ; id++) {
    await client.query('insert into numbers values ($1)', [id])
    process.stdout.write(id + '\\n')
  }`

/** Another process that runs `code`, in which `open(purpose)` opens the directory. It is killed when the test ends. */
function inChild(t: TestContext, code: string, directory: string, ...rest: string[]) {
  const prelude = `
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    import { openEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))}
    const open = (purpose) => openEmbedded(process.argv[1], { purpose, progress: console.log, sync: false })
`
  const child = spawn(process.execPath, ['--input-type=module', '-e', prelude + code, directory, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => end(child))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    process: child,
    exited: once(child, 'exit'),
    /** The next line that is not about progress, or the `wanted` one. */
    async line(wanted?: string): Promise<string> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error('The other process ended without saying what was expected')
        if (wanted === undefined ? !value.startsWith('creating') : value === wanted) return value
      }
    },
    rest: () => ({ [Symbol.asyncIterator]: () => lines }),
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

let copies = 0
function copy(name = `copy-${++copies}`): string {
  const directory = join(root, name)
  cpSync(template, directory, { recursive: true })
  return directory
}

async function opened(t: TestContext, directory: string, options: Partial<EmbeddedOptions> = {}) {
  const engine = await openEmbedded(directory, { purpose: 'server', sync: false, ...options })
  t.after(() => engine.close())
  return engine
}

async function connected(connection: Connection, t?: TestContext): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  t?.after(() => client.end())
  return client
}
