import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ids, testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()
const cleans = await make('departments', { name: 'Cleans' })

test('a deleted task leaves the lists and can still be read', async () => {
  const { id } = await make('tasks', { name: 'Clean', departmentId: cleans.id })

  const answer = await client('DELETE /tasks/{id}', { id })

  assert.deepEqual([answer.status, answer.data], [200, { success: true }])
  assert.deepEqual(ids(await client('GET /tasks')), [])
  const { data } = await client('GET /tasks/{id}', { id })
  assert.ok(data.deletedAt)
  assert.equal(data.updatedAt, data.deletedAt)
})

test('deleting again succeeds and changes nothing, at once too', async () => {
  const { id } = await make('tasks', { name: 'Clean', departmentId: cleans.id })
  const answers = await Promise.all([client('DELETE /tasks/{id}', { id }), client('DELETE /tasks/{id}', { id })])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  const { data: before } = await client('GET /tasks/{id}', { id })
  assert.equal((await client('DELETE /tasks/{id}', { id: id.toUpperCase() })).status, 200)
  assert.deepEqual((await client('GET /tasks/{id}', { id })).data, before)
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    events.map((event: { type: string; changes: object }) => [event.type, event.changes]),
    [['task.deleted', { deletedAt: { from: null, to: before.deletedAt } }]],
  )
})

test('nothing but an empty object may be sent along', async () => {
  const { id } = await make('tasks', { name: 'Clean', departmentId: cleans.id })
  const answer = await client('DELETE /tasks/{id}', { id, body: { force: true } })
  assert.deepEqual([answer.status, answer.error.details.issues[0].path], [400, 'body.force'])
  assert.equal((await client('GET /tasks/{id}', { id })).data.deletedAt, null)
})
