import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make, owner } = await testServer()

test('a command tells what was asked, by whom, and what became of it', async () => {
  const device = await make('devices', { type: 'lock' })
  const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 10, 0, second))
  const { id } = await make('device_commands', {
    deviceId: device.id,
    kind: 'unlock',
    state: 'failed',
    memberId: owner.id,
    errorCode: 'jammed',
    errorMessage: 'The bolt jammed on its way.',
    observedLockState: 'jammed',
    checks: 2,
    createdAt: at(0),
    sentAt: at(1),
    finishedAt: at(2),
  })
  const { status, data } = await client('GET /device-commands/{id}', { id })
  assert.equal(status, 200)
  assert.deepEqual(data, {
    id,
    deviceId: device.id,
    kind: 'unlock',
    state: 'failed',
    memberId: owner.id,
    createdAt: at(0).toISOString(),
    sentAt: at(1).toISOString(),
    finishedAt: at(2).toISOString(),
    checks: 2,
    errorCode: 'jammed',
    errorMessage: 'The bolt jammed on its way.',
    observedLockState: 'jammed',
  })
})
