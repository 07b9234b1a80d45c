import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()
const department = await make('departments', { name: 'Repairs', isMaintenance: true })
const template = (columns = {}) => make('task_templates', { name: 'Look', departmentId: department.id, ...columns })
const set = (body: object) => client('POST /device-alert-rules', { body })

test('a kind has one rule: setting it again changes it, and setting it to what it is changes nothing', async () => {
  const [one, two] = [await template(), await template()]
  const first = await set({ kind: 'offline', taskTemplateId: one.id })
  assert.deepEqual([first.status, first.data.kind, first.data.taskTemplateId], [200, 'offline', one.id])
  const second = await set({ kind: 'offline', taskTemplateId: two.id.toUpperCase() })
  assert.deepEqual([second.data.id, second.data.taskTemplateId], [first.data.id, two.id])
  assert.deepEqual((await set({ kind: 'offline', taskTemplateId: two.id })).data, second.data)
  const { data } = await client('GET /events', { query: { entityId: first.data.id } })
  assert.deepEqual(
    data.map(({ type, changes }: { type: string; changes: object }) => [type, changes]),
    [
      ['device_alert_rule.created', { kind: { to: 'offline' }, taskTemplateId: { to: one.id } }],
      ['device_alert_rule.updated', { taskTemplateId: { from: one.id, to: two.id } }],
    ],
  )
})

test('20 at once make one rule', async () => {
  const { id } = await template()
  const answers = await Promise.all(Array.from({ length: 20 }, () => set({ kind: 'jammed', taskTemplateId: id })))
  assert.equal(new Set(answers.map(({ status, data }) => `${status} ${data.id}`)).size, 1)
})

test('a template that is not there, deleted, or of another organization is 422', async () => {
  const other = await organization(database)
  const theirs = await other.make('task_templates', {
    name: 'Theirs',
    departmentId: (await other.make('departments', { name: 'Theirs' })).id,
  })
  for (const taskTemplateId of [v7(), theirs.id]) {
    const { status, error } = await set({ kind: 'stale', taskTemplateId })
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'taskTemplateId'])
  }
  const deleted = await template({ deletedAt: new Date() })
  const { status, error } = await set({ kind: 'stale', taskTemplateId: deleted.id })
  assert.deepEqual([status, error.code], [422, 'task_template_deleted'])
})

test('a body that cannot be is named, all of it', async () => {
  const { status, error } = await set({ kind: 'sad', taskTemplateId: 7, since: 'now' })
  assert.equal(status, 400)
  const paths = error.details.issues.map(({ path }: { path: string }) => path)
  assert.deepEqual([...new Set(paths)].sort(), ['body.kind', 'body.since', 'body.taskTemplateId'])
  const missing = (await set({})).error.details.issues.map(({ path }: { path: string }) => path)
  assert.deepEqual(missing.sort(), ['body.kind', 'body.taskTemplateId'])
})
