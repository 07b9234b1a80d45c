import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleProvider, hang, snapshot, succeeded } from '../../test/double-provider.ts'
import { testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { ProviderError } from '../providers/provider.ts'
import { movementDeadline, settleCommands } from './settle-commands.ts'

// Far ahead: the workers of other tests' services, on the same database, leave these commands alone.
let now = new Date('2100-01-01T00:00:00.000Z')
const clock = () => now
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
const providerTimeout = 400
const { providers, script, moves } = doubleProvider()
const { client, make, app, database, config, organizationId, owner, keyId } = await testServer({
  providers,
  clock,
  env: { STEWARD_PROVIDER_TIMEOUT_MS: String(providerTimeout) },
})
const settle = () =>
  settleCommands({ database, connections: app.connections, clock, providerTimeout, limits: config, organizationId })
const account = await make('integration_accounts', { provider: 'seam' })
let n = 0
const lock = () => make('devices', { type: 'lock', integrationAccountId: account.id, externalId: `door-${++n}` })
const commandOf = async (id: string) => (await client('GET /device-commands/{id}', { id })).data
const stateOf = async (id: string) => {
  const { state, errorCode, observedLockState } = await commandOf(id)
  return [state, errorCode, observedLockState]
}
const eventsOf = async (entityId: string) => (await client('GET /events', { query: { entityId } })).data

/** A command as a process that was killed leaves it: stored, perhaps sent, its request's time over. */
const left = async (columns = {}) => {
  const device = await lock()
  const { id } = await make('device_commands', {
    deviceId: device.id,
    kind: 'lock',
    memberId: owner.id,
    apiKeyId: keyId,
    createdAt: now,
    checkAfter: now,
    ...columns,
  })
  return { id, deviceId: device.id }
}

test('killed between storing and sending: the command fails as not sent, and nothing is ever sent', async () => {
  const { id, deviceId } = await left()
  const before = moves.length
  await settle()
  assert.deepEqual(await stateOf(id), ['failed', 'not_sent', null])
  assert.equal((await commandOf(id)).sentAt, null)
  const [told] = await eventsOf(id)
  assert.deepEqual([told.type, told.memberId, told.apiKeyId], ['device_command.failed', owner.id, keyId])
  pass(3_600_000)
  await settle()
  assert.equal(moves.length, before)
  script.move = async () => succeeded('locked')
  assert.equal((await client('POST /devices/{id}/lock', { id: deviceId })).data.state, 'succeeded', 'the lock is free again')
})

test('a command that is marked as sent while it is being given up is not given up, but followed', async () => {
  const { id } = await left()
  // Between the look at the command and the storing of its end its request, slow but alive, marks it.
  const meanwhile: typeof database = {
    ...database,
    async transaction(work) {
      await database.transaction((trx) =>
        trx.run(sql`update device_commands set sent_at = ${now} where organization_id = ${organizationId} and id = ${id}`),
      )
      return database.transaction(work)
    },
  }
  await settleCommands({
    database: meanwhile,
    connections: app.connections,
    clock,
    providerTimeout,
    limits: config,
    organizationId,
  })
  assert.deepEqual(await stateOf(id), ['pending', null, null])
  assert.equal((await commandOf(id)).sentAt, now.toISOString())
  assert.deepEqual(await eventsOf(id), [])

  pass(4_000)
  script.refresh = async () => snapshot('locked', { observedAt: now })
  await settle()
  assert.deepEqual(await stateOf(id), ['succeeded', null, 'locked'])
})

test('killed between sending and hearing: seen locked afterwards, it has succeeded', async () => {
  const { id, deviceId } = await left({ sentAt: now })
  script.refresh = async () => snapshot('locked')
  const before = moves.length
  await settle()
  assert.deepEqual(await stateOf(id), ['succeeded', null, 'locked'])
  assert.equal((await client('GET /devices/{id}', { id: deviceId })).data.deviceState.lock.state, 'locked')
  assert.equal(moves.length, before)
})

test('killed between sending and hearing: never seen locked, its effect is unknown after a minute', async () => {
  const { id, deviceId } = await left({ sentAt: now })
  script.refresh = async () => snapshot('unlocked')
  await settle()
  assert.deepEqual(await stateOf(id), ['pending', null, null])
  pass(movementDeadline)
  await settle()
  assert.deepEqual(await stateOf(id), ['failed', 'timeout', 'unlocked'])
  assert.match((await commandOf(id)).errorMessage, /unknown/)
  assert.equal((await client('GET /devices/{id}', { id: deviceId })).data.deviceState.lock.state, 'unlocked')
})

test('what was seen before the command was sent is no proof of it', async () => {
  const { id } = await left({ sentAt: now })
  const stale = new Date(now.getTime() - 1_000)
  script.refresh = async () => snapshot('locked', { live: false, observedAt: stale })
  await settle()
  assert.deepEqual(await stateOf(id), ['pending', null, null])
  pass(4_000)
  script.refresh = async () => snapshot('locked', { live: false, observedAt: now })
  await settle()
  assert.equal((await stateOf(id))[0], 'succeeded')
})

test('what was seen by a clock that runs ahead is no proof', async () => {
  const { id } = await left({ sentAt: now })
  script.refresh = async () => snapshot('locked', { live: false, observedAt: new Date(now.getTime() + 60_000) })
  await settle()
  assert.deepEqual(await stateOf(id), ['pending', null, null])
})

test('an answer after the deadline: the reference is asked, and its end is stored with the events', async () => {
  const device = await lock()
  script.move = async () => ({ state: 'pending', ref: 'r-9' })
  script.outcome = async () => ({ state: 'pending', ref: 'r-9' })
  const { data } = await client('POST /devices/{id}/lock', { id: device.id })
  assert.equal(data.state, 'pending')

  const asked: string[] = []
  script.outcome = async (ref) => {
    asked.push(ref)
    return succeeded('locked')
  }
  await settle()

  assert.deepEqual([asked, await stateOf(data.commandId)], [['r-9'], ['succeeded', null, 'locked']])
  assert.equal((await commandOf(data.commandId)).checks, 1)
})

test('a bolt that jams after its request was answered is told as failed', async () => {
  const { id } = await left({ sentAt: now, externalRef: 'r-1' })
  script.outcome = async () => ({ state: 'failed', ref: 'r-1', error: { code: 'jammed', message: 'stuck' } })
  await settle()
  assert.deepEqual(await stateOf(id), ['failed', 'jammed', null])
})

test('while the provider is away, hangs or is connected no more, it stays pending; after a minute its effect is unknown', async () => {
  for (const refresh of [() => Promise.reject(new ProviderError('unavailable', 'away')), hang]) {
    const { id } = await left({ sentAt: now })
    script.refresh = refresh
    await settle()
    assert.deepEqual(await stateOf(id), ['pending', null, null])
    pass(movementDeadline)
    await settle()
    assert.deepEqual(await stateOf(id), ['failed', 'timeout', null])
  }
})

test('two nodes at once ask for a command once', async () => {
  const { id } = await left({ sentAt: now })
  let looks = 0
  script.refresh = async () => {
    looks++
    return snapshot('locked')
  }
  await Promise.all([settle(), settle(), settle()])
  assert.equal(looks, 1)
  assert.equal((await eventsOf(id)).length, 1)
})

test('a command whose request is still at it is left alone', async () => {
  const { id } = await left({ checkAfter: new Date(now.getTime() + 1_000) })
  await settle()
  assert.equal((await stateOf(id))[0], 'pending')
})

test('a refresh whose process died is told as interrupted', async () => {
  const { id } = await left({ kind: 'refresh', sentAt: now })
  await settle()
  assert.deepEqual(await stateOf(id), ['failed', 'interrupted', null])
})
