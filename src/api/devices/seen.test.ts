import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshot } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'
import { changing } from '../../http/events.ts'
import type { DeviceSnapshot } from '../../providers/provider.ts'
import { merged, seen } from './seen.ts'

const { make, database, config, organizationId, client } = await testServer()
const cause = { organizationId, memberId: null, keyId: null, requestId: null, idempotencyKey: null }
const at = (minute: number): Date => new Date(Date.UTC(2026, 5, 1, 10, minute))
const see = (id: string, shot: DeviceSnapshot, now: Date) =>
  changing(database, cause, now, (trx) => seen(trx, { organizationId, id }, shot, now, config))
const read = async (id: string) => (await client('GET /devices/{id}', { id })).data

test('an older observation never replaces a newer one, but the poll is noted', async () => {
  const { id } = await make('devices', { type: 'lock' })
  await see(id, snapshot('locked', { observedAt: at(10), battery: { percent: 60, reportedAt: null } }), at(10))
  await see(id, snapshot('unlocked', { observedAt: at(5), battery: { percent: 90, reportedAt: null } }), at(11))
  const device = await read(id)
  assert.deepEqual([device.deviceState.lock.state, device.batteryLevel, device.healthCheck], ['locked', 60, at(11).toISOString()])
  assert.equal(device.batteryUpdatedAt, at(10).toISOString())
})

test('a poll that was overtaken by a later one does not say whether the device is online', async () => {
  const { id } = await make('devices', { type: 'lock' })
  await see(id, snapshot('locked', { observedAt: at(3), online: false }), at(3))
  await see(id, snapshot('locked', { observedAt: at(2), online: true }), at(2))
  const { online, healthCheck } = await read(id)
  assert.deepEqual([online, healthCheck], [false, at(3).toISOString()])
})

test("a provider's clock that runs ahead hides nothing that is seen later", async () => {
  const { id } = await make('devices', { type: 'lock' })
  const ahead = snapshot('locked', { observedAt: at(50), battery: { percent: 60, reportedAt: at(55) } })
  await see(id, ahead, at(10))
  const first = await read(id)
  assert.deepEqual([first.deviceState.observedAt, first.batteryUpdatedAt], [at(10).toISOString(), at(10).toISOString()])
  await see(id, snapshot('unlocked', { observedAt: at(11), battery: { percent: 59, reportedAt: at(11) } }), at(11))
  const { deviceState, batteryLevel } = await read(id)
  assert.deepEqual([deviceState.lock.state, batteryLevel], ['unlocked', 59])
})

test('what was stored with a time far ahead is replaced by what is seen now', async () => {
  const deviceState = { lock: { state: 'locked', doorOpen: null }, climate: null, issues: [], observedAt: at(50), live: true }
  const future = { batteryLevel: 10, batteryUpdatedAt: at(50), healthCheck: at(50), online: false }
  const { id } = await make('devices', { type: 'lock', deviceState, ...future })
  await see(id, snapshot('unlocked', { observedAt: at(9), battery: { percent: 80, reportedAt: null } }), at(10))
  const device = await read(id)
  assert.deepEqual([device.deviceState.lock.state, device.deviceState.observedAt], ['unlocked', at(9).toISOString()])
  assert.deepEqual([device.batteryLevel, device.healthCheck, device.online], [80, at(10).toISOString(), true])
})

test('nothing known is lost to a snapshot that says nothing of it', async () => {
  const { id } = await make('devices', { type: 'lock', batteryLevel: 33 })
  const climate = { temperatureC: 20, humidityPercent: 50 }
  await see(id, snapshot('locked', { observedAt: at(1), climate }), at(1))
  await see(
    id,
    snapshot('unknown', { observedAt: at(9), climate: { temperatureC: 25, humidityPercent: null }, online: null }),
    at(9),
  )
  const { deviceState, batteryLevel, online } = await read(id)
  assert.deepEqual(
    [deviceState.lock.state, deviceState.climate, batteryLevel, online],
    ['locked', { ...climate, temperatureC: 25 }, 33, true],
  )
  assert.deepEqual([deviceState.observedAt, deviceState.live], [at(1).toISOString(), false], 'what is kept is as old as it was')
})

test('what was imported in another form is no obstacle', () => {
  for (const stored of [null, [], 'unknown', 3, { lock: 'locked' }, { observedAt: 'yesterday', lock: null }]) {
    const state = merged(stored, snapshot('locked', { observedAt: at(1) }), at(1)) as { lock: unknown; observedAt: string }
    assert.deepEqual([state.lock, state.observedAt], [{ state: 'locked', doorOpen: false }, at(1).toISOString()])
  }
})
