import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { v7 } from 'uuid'
import { doubleProvider, hang } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'
import type { Database, Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { Connection, Provider, Surroundings } from '../../providers/provider.ts'
import { connections } from './connections.ts'

const { database, organizationId, make } = await testServer()
const { seam } = doubleProvider().providers
const providers = { seam: { ...seam, settings: Type.Object({ apiKey: Type.String() }) } }

test('settings that cannot be decrypted are told of once, without them, and their account has no connection', async () => {
  const told: string[] = []
  const open = (secret: Buffer | undefined) =>
    connections({
      database,
      providers,
      secret,
      surroundings: () => ({ clock: () => new Date() }) as Surroundings,
      onUnusable: (error, accountId) => told.push(`${accountId} ${error.message}`),
    })
  const accountId = v7()
  const right = open(randomBytes(32))
  const sealed = right.seal({ organizationId, accountId, provider: 'seam' }, { apiKey: 'hush-hush' })!
  await make('integration_accounts', { id: accountId, provider: 'seam' })
  await database.transaction((trx) =>
    trx.run(
      sql`update integration_accounts set credentials = ${sealed} where organization_id = ${organizationId} and id = ${accountId}`,
    ),
  )
  assert.ok(await right.of(organizationId, accountId))
  for (const secret of [randomBytes(32), undefined]) {
    told.length = 0
    const wrong = open(secret)
    assert.equal(await wrong.of(organizationId, accountId), undefined)
    assert.equal(await wrong.of(organizationId, accountId), undefined)
    assert.equal(told.length, 1)
    assert.ok(told[0]!.startsWith(accountId) && !told[0]!.includes('hush'))
  }
})

test('an account id that stands in two organizations is two connections, however it is written', async () => {
  const other = await testServer()
  const accountId = v7()
  for (const world of [{ make }, other]) await world.make('integration_accounts', { id: accountId, provider: 'seam' })
  const accounts = connections({
    database,
    providers: { seam },
    secret: undefined,
    surroundings: () => ({ clock: () => new Date() }) as Surroundings,
  })
  const [one, two, again] = [
    await accounts.of(organizationId, accountId),
    await accounts.of(other.organizationId, accountId),
    await accounts.of(organizationId, accountId.toUpperCase()),
  ]
  assert.ok(one && two)
  assert.notEqual(one, two)
  assert.equal(again, one)
})

/** An account whose provider does what the test says, and what became of it. */
async function world(overrides: { connect?: () => void; close?: () => Promise<void>; database?: Database } = {}) {
  const [made, told]: [Connection[], string[]] = [[], []]
  const provider: Provider = {
    ...seam,
    settings: Type.Object({ apiKey: Type.Optional(Type.String()) }),
    connect(settings, around) {
      overrides.connect?.()
      const connection = { ...seam.connect(settings, around), ...(overrides.close ? { close: overrides.close } : {}) }
      made.push(connection)
      return connection
    },
  }
  const secret = randomBytes(32)
  const accounts = connections({
    database: overrides.database ?? database,
    providers: { seam: provider },
    secret,
    surroundings: () => ({ clock: () => new Date() }) as Surroundings,
    onUnusable: (error, accountId) => told.push(`${accountId} ${error.message}`),
  })
  const { id: accountId } = await make('integration_accounts', { provider: 'seam' })
  const change = async (apiKey: string) => {
    const sealed = accounts.seal({ organizationId, accountId, provider: 'seam' }, { apiKey })!
    await database.transaction((trx) =>
      trx.run(
        sql`update integration_accounts set credentials = ${sealed} where organization_id = ${organizationId} and id = ${accountId}`,
      ),
    )
  }
  return { accounts, accountId, made, told, change, of: () => accounts.of(organizationId, accountId) }
}

test('those who need an account first, at once, connect once', async () => {
  // All of them have looked up the account before any goes on.
  let looks = 0
  let go = () => {}
  const allLooked = new Promise<void>((resolve) => {
    go = resolve
  })
  const { db, witnessed } = database.reader()
  const rows: Db['rows'] = async (statement) => {
    const found = await db.rows<never>(statement)
    if (++looks === 4) go()
    await allLooked
    return found
  }
  const { of, made } = await world({ database: { ...database, reader: () => ({ db: { ...db, rows }, witnessed }) } })
  const [first, ...others] = await Promise.all([of(), of(), of(), of()])
  assert.ok(first)
  for (const other of others) assert.equal(other, first)
  assert.equal(made.length, 1)
})

test('an account that cannot be connected with its settings counts as not connected, and that is told once', async () => {
  let isWrong = true
  const { of, told, change } = await world({
    connect: () => {
      if (isWrong) throw new TypeError('Invalid URL: mqtt://steward:hush-hush@hub')
    },
  })
  await change('hush-hush')
  assert.deepEqual([await of(), await of()], [undefined, undefined])
  assert.equal(told.length, 1)
  assert.ok(told[0]!.includes('TypeError') && !told[0]!.includes('hush'), told[0])
  await change('other')
  assert.equal(await of(), undefined)
  assert.equal(told.length, 2, 'other settings are told of again')
  isWrong = false
  assert.ok(await of())
})

test('a connection that does not close holds up neither the next one nor the end of the service', async () => {
  const { of, change, accounts } = await world({ close: hang })
  const before = await of()
  await change('new')
  const began = performance.now()
  const after = await of()
  assert.ok(after && after !== before)
  assert.ok(performance.now() - began < 1_000)
  await accounts.close()
  assert.ok(performance.now() - began < 10_000)
})

test('a connection is closed when its settings are replaced, and one that fails to close is no matter', async () => {
  let closed = 0
  const { of, change, accounts } = await world({
    close: async () => {
      closed++
      throw new Error('it is broken')
    },
  })
  await of()
  await change('new')
  await of()
  assert.equal(closed, 1)
  await accounts.close()
  assert.equal(closed, 2)
})
