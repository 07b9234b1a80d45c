import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'
import { settleCommands } from '../../worker/settle-commands.ts'

// Far ahead, as in settle-commands.test.ts.
let now = new Date('2100-01-01T00:00:00.000Z')
const clock = () => now
const providerTimeout = 500
const { client, make, app, database, config, organizationId } = await testServer({
  clock,
  env: { STEWARD_PROVIDER_TIMEOUT_MS: String(providerTimeout) },
})
const settle = () =>
  settleCommands({ database, connections: app.connections, clock, providerTimeout, limits: config, organizationId })
const account = await make('integration_accounts', { provider: 'simulated' })
let n = 0
const lock = (columns = {}) =>
  make('devices', {
    type: 'lock',
    provider: 'simulated',
    integrationAccountId: account.id,
    externalId: `sim-${++n}`,
    online: true,
    deviceState: { lock: { state: 'unlocked', doorOpen: false }, observedAt: '2026-06-01T10:00:00.000Z' },
    ...columns,
  })
const change = async (id: string, data: object) => (await client('PATCH /devices/{id}/simulation', { id, body: { data } })).data
const commandOf = async (id: string) => (await client('GET /device-commands/{id}', { id })).data
const seenState = async (id: string) => (await client('GET /devices/{id}', { id })).data.deviceState.lock.state

test('a device that nobody simulated yet locks from the state its row shows, without any settings', async () => {
  const { id } = await lock({ batteryLevel: 88 })
  const before = (await client('GET /devices/{id}/simulation', { id })).data
  assert.deepEqual(before, { online: true, batteryPercent: 88, lockState: 'unlocked', delayMs: 0, fault: 'none' })
  const { data } = await client('POST /devices/{id}/lock', { id })
  assert.deepEqual([data.success, data.state, await seenState(id)], [true, 'succeeded', 'locked'])
  assert.equal((await client('GET /devices/{id}/simulation', { id })).data.lockState, 'locked')
})

test('what is changed is seen by the next poll, and told as an event', async () => {
  const { id } = await lock()
  const answer = await change(id, { batteryPercent: 7, lockState: 'jammed' })
  assert.deepEqual([answer.batteryPercent, answer.lockState], [7, 'jammed'])
  const { data } = await client('POST /devices/{id}/refresh', { id })
  assert.deepEqual([data.batteryLevel, data.deviceState.lock.state, data.deviceState.issues[0].code], [7, 'jammed', 'jammed'])
  const [event] = (await client('GET /events', { query: { entityId: id } })).data
  assert.equal(event.type, 'device.simulation_changed')
  assert.deepEqual(event.changes.lockState, { from: 'unlocked', to: 'jammed' })
})

test('an unreachable device is polled as offline, and a lock command to it fails', async () => {
  const { id } = await lock()
  await change(id, { online: false })
  assert.equal((await client('POST /devices/{id}/refresh', { id })).data.online, false)
  const { data } = await client('POST /devices/{id}/lock', { id })
  assert.deepEqual([data.success, (await commandOf(data.commandId)).errorCode], [false, 'device_offline'])
  assert.equal(await seenState(id), 'unlocked')
})

for (const [fault, code] of [
  ['jams', 'jammed'],
  ['refuses', 'rejected'],
] as const) {
  test(`a device that ${fault} fails its command as ${code}`, async () => {
    const { id } = await lock()
    await change(id, { fault })
    const { data } = await client('POST /devices/{id}/lock', { id })
    assert.deepEqual([data.success, (await commandOf(data.commandId)).errorCode], [false, code])
  })
}

test('an answer that is lost does not hide that the bolt moved', async () => {
  const { id } = await lock()
  await change(id, { fault: 'loses_answer' })
  assert.equal((await client('POST /devices/{id}/lock', { id })).data.state, 'succeeded')
  assert.equal(await seenState(id), 'locked')
})

test('a provider that is away is 503 for both, and nothing moves', async () => {
  const { id } = await lock()
  await change(id, { fault: 'provider_away' })
  for (const route of ['POST /devices/{id}/refresh', 'POST /devices/{id}/lock']) {
    const { status, error } = await client(route, { id })
    assert.deepEqual([status, error.code], [503, 'provider_unavailable'])
  }
  await change(id, { fault: 'none' })
  assert.equal((await client('POST /devices/{id}/refresh', { id })).data.deviceState.lock.state, 'unlocked')
})

test('a slow bolt is pending within the limit, shows no end while it moves, and locked when it got there', async () => {
  const { id } = await lock()
  await change(id, { delayMs: 30_000 })
  const { data } = await client('POST /devices/{id}/lock', { id })
  assert.equal(data.state, 'pending')
  await settle()
  assert.deepEqual([(await commandOf(data.commandId)).state, await seenState(id)], ['pending', 'unlocked'])
  now = new Date(now.getTime() + 31_000)
  await settle()
  assert.deepEqual([(await commandOf(data.commandId)).state, await seenState(id)], ['succeeded', 'locked'])
})

test('a real device has no simulation, and what is out of bounds is refused', async () => {
  const { id } = await make('devices', { type: 'lock' })
  for (const route of ['GET /devices/{id}/simulation', 'PATCH /devices/{id}/simulation'])
    assert.equal(
      (await client(route, { id, ...(route.startsWith('PATCH') ? { body: { data: {} } } : {}) })).error.code,
      'device_not_simulated',
    )
  const refused = await client('PATCH /devices/{id}/simulation', { id, body: { data: { delayMs: 60_001, batteryPercent: 101 } } })
  assert.equal(refused.error.details.issues.length, 2)
})
