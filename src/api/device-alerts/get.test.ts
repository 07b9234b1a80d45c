import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test('an alert is read whole', async () => {
  const { id: deviceId } = await make('devices', { type: 'lock' })
  const at = '2026-06-01T10:00:00.000Z'
  const { id } = await make('device_alerts', {
    deviceId,
    kind: 'jammed',
    openedAt: at,
    observedAt: at,
    batteryLevel: 41.5,
    message: 'Stuck.',
  })
  const { data } = await client('GET /device-alerts/{id}', { id })
  assert.deepEqual(data, {
    id,
    deviceId,
    kind: 'jammed',
    state: 'open',
    openedAt: at,
    closedAt: null,
    acknowledgedAt: null,
    acknowledgedByMemberId: null,
    batteryLevel: 41.5,
    observedAt: at,
    message: 'Stuck.',
    taskId: null,
    taskProblem: null,
  })
})

test('an id that no alert has is 404, one that is no id 400', async () => {
  const none = await client('GET /device-alerts/{id}', { id: '0197c3f0-0000-7000-8000-000000000000' })
  assert.deepEqual([none.status, none.error.code], [404, 'device_alert_not_found'])
  assert.equal((await client('GET /device-alerts/{id}', { id: 'door' })).status, 400)
})
