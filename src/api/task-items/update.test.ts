import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, member, keyFor, owner, database } = await testServer()
const cleans = await make('departments', { name: 'Cleans' })
const { id: taskId } = await make('tasks', { name: 'Clean', departmentId: cleans.id })

const item = (columns = {}) => make('task_items', { taskId, groupTitle: 'Bath', description: 'Scrub', rank: 0, ...columns })
const update = (id: string, data: unknown, key?: string) =>
  client('PATCH /task-items/{id}', { id, body: { data }, ...(key ? { key } : {}) })
const stored = async (id: string) =>
  (await client('GET /tasks/{id}', { id: taskId })).data.items.find((one: { id: string }) => one.id === id)

test('a completed item tells when and by whom, until it is opened again', async () => {
  const { id } = await item()
  const before = await stored(id)
  const ines = await member()

  const done = await update(id, { completed: true }, (await keyFor(ines.id)).key)

  assert.equal(done.status, 200)
  const { completedAt, updatedAt } = done.data
  assert.deepEqual(done.data, { ...before, completedAt, completedByUserId: ines.userId, updatedAt })
  assert.ok(completedAt > before.updatedAt && updatedAt === completedAt)
  assert.deepEqual(await stored(id), done.data)

  const opened = await update(id, { completed: false })

  assert.deepEqual(opened.data, { ...before, updatedAt: opened.data.updatedAt })
  assert.deepEqual(await stored(id), opened.data)
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    events.map((event: { type: string; entityType: string; memberId: string }) => [event.type, event.entityType, event.memberId]),
    [
      ['task_item.updated', 'task_item', ines.id],
      ['task_item.updated', 'task_item', owner.id],
    ],
  )
  assert.deepEqual(events[0].changes, {
    completedAt: { from: null, to: completedAt },
    completedByUserId: { from: null, to: ines.userId },
  })
})

test('what changes nothing is answered as it is, and stays on record as it was', async () => {
  const ines = await member()
  const done = await item({ completedAt: '2026-05-01T08:00:00.000Z', completedByUserId: ines.userId })
  const open = await item()
  for (const [{ id }, data] of [
    [done, { completed: true }],
    [done, {}],
    [open, { completed: false }],
    [open, {}],
  ] as const) {
    const before = await stored(id)
    assert.deepEqual((await update(id, data)).data, before)
    assert.deepEqual(await stored(id), before)
    assert.deepEqual((await client('GET /events', { query: { entityId: id } })).data, [])
  }
})

test('an item of a deleted task can no longer be changed', async () => {
  const task = await make('tasks', { name: 'Old', departmentId: cleans.id, deletedAt: new Date() })
  const answer = await update((await item({ taskId: task.id })).id, { completed: true })
  assert.deepEqual([answer.status, answer.error.code], [409, 'task_deleted'])
})

test("another organization's item does not exist", async () => {
  const other = await organization(database)
  const department = await other.make('departments', {})
  const task = await other.make('tasks', { name: 'Theirs', departmentId: department.id })
  const theirs = await other.make('task_items', { taskId: task.id, rank: 0 })
  for (const id of [theirs.id, v7()]) {
    const answer = await update(id, { completed: true })
    assert.deepEqual([answer.status, answer.error.code], [404, 'task_item_not_found'])
  }
})

test('bounds: what is no boolean, and what is no field, is refused by name', async () => {
  const { id } = await item()
  for (const [data, path] of [
    [{ completed: 'true' }, 'body.data.completed'],
    [{ completed: null }, 'body.data.completed'],
    [{ description: 'x' }, 'body.data.description'],
    [undefined, 'body.data'],
  ] as const) {
    const answer = await update(id, data)
    assert.deepEqual([answer.status, answer.error.details.issues[0].path], [400, path])
  }
})
