import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from './embedded.ts'

const directory = mkdtempSync(join(tmpdir(), 'steward-socket-test-'))
const engine = await openEmbedded(directory, { purpose: 'server', sync: false, idleInTransaction: 600 })
after(async () => {
  await engine.close()
  rmSync(directory, { recursive: true, force: true })
})
const setup = new pg.Client(engine.connection)
await setup.connect()
await setup.query('create table numbers (id int)')
await setup.end()

test('what connections send at the same time never mixes, however many packets it takes', async (t) => {
  const clients = [await connected(t), await connected(t), await connected(t)]
  const long = 'x'.repeat(300_000)
  await Promise.all(
    clients.map(async (client, own) => {
      for (let turn = 0; turn < 20; turn++) {
        const { rows } = await client.query(`select length($1) + ${own} as length, repeat($2, 100000) as text`, [long, `${own}`])
        assert.deepEqual(rows, [{ length: 300_000 + own, text: `${own}`.repeat(100_000) }])
        await assert.rejects(client.query('select 1 / $1::int', [0]), /division by zero/)
      }
    }),
  )
})

test('a transaction keeps the others waiting, but not from connecting', async (t) => {
  const [first, second] = [await connected(t), await connected(t)]
  await first.query('begin')
  await first.query('insert into numbers values (1)')
  let answered = false
  const count = second.query('select from numbers where id = 1').then(({ rowCount }) => {
    answered = true
    return rowCount
  })
  await connected(t)
  await sleep(50)
  assert.equal(answered, false)
  await first.query('commit')
  assert.equal(await count, 1)
})

test('prepared statements belong to their connection, and go with it', async (t) => {
  const watcher = await connected(t)
  const names = async () => (await watcher.query('select name from pg_prepared_statements')).rowCount
  const clients = [await connected(t), await connected(t)]
  for (let turn = 0; turn < 2; turn++)
    for (const [own, client] of clients.entries())
      assert.deepEqual((await client.query({ name: 'same', text: `select ${own} as own` })).rows, [{ own }])
  assert.equal(await names(), 2)
  await Promise.all(clients.map((client) => client.end()))
  for (let turn = 0; turn < 50 && (await names()) !== 0; turn++) await sleep(10)
  assert.equal(await names(), 0)
})

test('pipelined queries are answered in order, each failing by itself', async (t) => {
  const client = new pg.Client({ ...engine.connection, pipeline: true })
  await client.connect()
  t.after(() => client.end())
  const answers = await Promise.allSettled(
    Array.from({ length: 300 }, (_, index) =>
      client.query({ name: `p${index % 2}`, text: `select ${index % 2} + 10 / $1::int as value`, values: [index % 10] }),
    ),
  )
  for (const [index, answer] of answers.entries())
    if (index % 10 === 0) assert.equal(answer.status, 'rejected')
    else assert.equal(answer.status === 'fulfilled' && answer.value.rows[0].value, (index % 2) + Math.floor(10 / (index % 10)))
})

test('a connection that breaks in a transaction is rolled back and holds nobody up', async (t) => {
  const other = await connected(t)
  const breaks: ((client: pg.Client) => Promise<unknown> | undefined)[] = [
    (client) => client.query('insert into numbers values (2)'),
    (client) => void client.query('insert into numbers select 2 from generate_series(1, 100000)').catch(() => {}),
    (client) => client.query('select 1 / 0').catch(() => {}),
    oneRowOfTwo,
    () => undefined,
  ]
  for (const [index, work] of breaks.entries()) {
    const client = await connected()
    if (work !== oneRowOfTwo) await client.query('begin')
    await work(client)
    client.connection.stream.destroy()
    assert.equal((await other.query('select from numbers where id = 2')).rowCount, 0, `break ${index}`)
  }
})

test('kill -9 of a process in the middle of a transaction rolls it back and holds nobody up', async (t) => {
  const code = `
    import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    const client = new pg.Client(${JSON.stringify(engine.connection)})
    await client.connect()
    await client.query('begin')
    for (;;) {
      await client.query('insert into numbers values (3)')
      process.stdout.write('.')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await sleep(20)
  child.kill('SIGKILL')
  const other = await connected(t)
  assert.equal((await other.query('select from numbers where id = 3')).rowCount, 0)
})

test('a connection that idles in a transaction is ended after a while', async (t) => {
  const [idler, other] = [await connected(t), await connected(t)]
  const ended = new Promise<Error>((resolve) => idler.once('error', resolve))
  await idler.query('begin')
  await idler.query('insert into numbers values (4)')
  assert.equal((await other.query('select from numbers where id = 4')).rowCount, 0)
  assert.match((await ended).message, /idle-in-transaction/)
})

test('copying from the client is refused, and nesting beyond PostgreSQL’s limit too, without harm to the engine', async (t) => {
  const client = await connected(t)
  await assert.rejects(client.query('copy numbers from stdin'), /not supported/)
  await assert.rejects(client.query({ name: 'copy', text: 'copy numbers from stdin' }), /not supported/)
  await assert.rejects(client.query('select $1::jsonb', [`${'['.repeat(400_000)}${']'.repeat(400_000)}`]), /stack depth/)
  assert.equal((await client.query('select 1')).rowCount, 1)
})

test('what is not the protocol ends its connection and nothing else', async (t) => {
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0\0\0\x08\0\0\0\0', '\0\0\0\0', '\0\0\0\x08\x04\xd2\x16\x2e']) {
    const socket = connect(join(engine.connection.host, `.s.PGSQL.${engine.connection.port}`))
    socket.resume().write(Buffer.from(bytes, 'latin1'))
    await once(socket, 'close')
  }
  const client = await connected(t)
  const ended = new Promise<Error>((resolve) => client.once('error', resolve))
  client.connection.stream.write(Buffer.from('?\0\0\0\x04', 'latin1'))
  assert.match((await ended).message, /unsupported message/)
  assert.equal((await (await connected(t)).query('select 1')).rowCount, 1)
})

/** Half a batch: the rows that are still to be fetched keep it open, without a transaction of its own. */
async function oneRowOfTwo(client: pg.Client) {
  const query = new pg.Query({ text: 'insert into numbers values (2), (2) returning id', rows: 1 } as pg.QueryConfig)
  query.on('error', () => {})
  client.query(query)
  await once(query, 'row')
}

async function connected(t?: TestContext) {
  const client = new pg.Client(engine.connection) as pg.Client & { connection: { stream: import('node:net').Socket } }
  client.on('error', () => {})
  await client.connect()
  t?.after(() => client.end())
  return client
}
