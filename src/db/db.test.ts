import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { organization, server } from '../../test/helper.ts'
import { isUnavailable, openDatabase } from './db.ts'
import { raw, sql } from './sql.ts'

const { database } = server()
const { organizationId } = await organization(database)

/** A way to the database whose connections can be cut. */
const sockets = new Set<Socket>()
const target = testDatabase()
const { host, port } =
  typeof target === 'string' ? { host: new URL(target).hostname, port: Number(new URL(target).port || 5432) } : target
const proxy = createServer((socket) => {
  const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  for (const end of [socket, upstream]) end.on('error', () => {})
  socket.pipe(upstream).pipe(socket)
  socket.on('close', () => upstream.destroy())
  sockets.add(socket)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const proxyPort = (proxy.address() as { port: number }).port
const connection =
  typeof target === 'string'
    ? Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(proxyPort) }).href
    : { ...target, host: '127.0.0.1', port: proxyPort }
const fragile = openDatabase({ connection, poolSize: 2, connectTimeout: 5000, statementTimeout: 1000 })
after(async () => {
  await fragile.close()
  for (const socket of sockets) socket.destroy()
  proxy.close()
})

const cut = () => {
  for (const socket of sockets) socket.resetAndDestroy()
  sockets.clear()
}

test('a connection that breaks in the middle fails its statement as unavailable, and the next one finds another', async () => {
  const { db } = fragile.reader()
  for (const work of [
    () => db.rows(raw('select pg_sleep(0.5)')),
    () => fragile.transaction((trx) => trx.rows(raw('select pg_sleep(0.5)'))),
  ]) {
    const broken = work().catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    cut()
    assert.equal(isUnavailable(await broken), true)
    assert.deepEqual(await db.rows(raw('select 1 as one')), [{ one: 1 }])
  }
})

test('a statement that takes too long is given up as unavailable, and leaves the pool whole', async () => {
  const { db } = fragile.reader()
  const slow = await db.rows(raw('select pg_sleep(1.5)')).catch((error: unknown) => error)
  assert.equal(isUnavailable(slow), true)
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.deepEqual(await db.rows(raw('select 1 as one')), [{ one: 1 }])
})

test('a statement that fails unawaited fails the whole transaction', async () => {
  const name = () => database.reader().db.rows<{ name: string }>(sql`select name from organizations where id = ${organizationId}`)
  const failing = database.transaction(async (trx) => {
    await trx.run(sql`update organizations set name = 'Lost' where id = ${organizationId}`)
    trx.run(raw('select 1 / 0')).catch(() => {})
    return 'done'
  })
  await assert.rejects(failing, /division by zero/)
  assert.equal((await name())[0]!.name, 'Casa Test')
})

test('an abandoned transaction leaves nothing and returns what its work returned', async () => {
  const result = await database.transaction(async (trx) => {
    await trx.run(sql`update organizations set name = 'Lost' where id = ${organizationId}`)
    trx.abandon()
    return 'told'
  })
  const [row] = await database
    .reader()
    .db.rows<{ name: string }>(sql`select name from organizations where id = ${organizationId}`)
  assert.deepEqual([result, row!.name], ['told', 'Casa Test'])
})
