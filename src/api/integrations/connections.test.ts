import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { v7 } from 'uuid'
import { doubleProvider } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import type { Surroundings } from '../../providers/provider.ts'
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
      onUnreadable: (error, accountId) => told.push(`${accountId} ${error.message}`),
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
