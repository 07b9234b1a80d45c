import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make, member, keyFor, owner } = await testServer()
const alert = async (columns = {}) => {
  const { id: deviceId } = await make('devices', { type: 'lock' })
  return (await make('device_alerts', { deviceId, kind: 'offline', openedAt: '2026-06-01T10:00:00.000Z', ...columns })).id
}
const acknowledge = (id: string, key?: string) => client('POST /device-alerts/{id}/acknowledge', { id, ...(key ? { key } : {}) })
const eventsOf = async (entityId: string) => (await client('GET /events', { query: { entityId } })).data

test('the first who acknowledges is kept, and twice is once', async () => {
  const id = await alert()
  const before = new Date().toISOString()
  const { status, data } = await acknowledge(id)
  assert.deepEqual([status, data.state, data.acknowledgedByMemberId], [200, 'open', owner.id])
  assert.ok(data.acknowledgedAt >= before)
  const { key } = await keyFor((await member({ firstName: 'Later' })).id)
  assert.deepEqual((await acknowledge(id, key)).data, data)
  const [event, ...others] = await eventsOf(id)
  assert.deepEqual([event.type, event.memberId, others], ['device_alert.acknowledged', owner.id, []])
  assert.deepEqual(event.changes.acknowledgedByMemberId, { from: null, to: owner.id })
})

test('20 at once make one acknowledgement', async () => {
  const id = await alert()
  const answers = await Promise.all(Array.from({ length: 20 }, () => acknowledge(id)))
  assert.equal(new Set(answers.map(({ status, data }) => `${status} ${data.acknowledgedAt}`)).size, 1)
  assert.equal((await eventsOf(id)).length, 1)
})

test('an alert that has closed can still be acknowledged', async () => {
  const id = await alert({ closedAt: '2026-06-01T11:00:00.000Z' })
  const { data } = await acknowledge(id)
  assert.deepEqual([data.state, data.acknowledgedByMemberId], ['closed', owner.id])
})

test('a body with fields is 400', async () => {
  const id = await alert()
  const { status, error } = await client('POST /device-alerts/{id}/acknowledge', { id, body: { note: 'seen' } })
  assert.deepEqual([status, error.details.issues[0].path], [400, 'body.note'])
  assert.equal((await client('POST /device-alerts/{id}/acknowledge', { id: '7' })).status, 400)
})
