import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

let seconds = 0
const { client, make, owner, database } = await testServer({ clock: () => new Date(Date.UTC(2040, 4, 4) + 1000 * seconds++) })

const cleans = await make('departments', { name: 'Cleans' })
const repairs = await make('departments', { name: 'Repairs' })
const task = (columns = {}) => make('tasks', { name: 'Clean', departmentId: cleans.id, ...columns })
const apply = (body: object) => client('POST /task-template-applications', { body })
const detail = async (id: string) => (await client('GET /tasks/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data
const descriptions = ({ items }: { items: { description: string }[] }) => items.map(({ description }) => description)

async function template(name: string, texts: readonly string[], columns = {}) {
  const whole = { priority: 'urgent', description: 'By the book', requiredSkillId: v7() }
  const row = await make('task_templates', { name, departmentId: repairs.id, ...whole, ...columns })
  const group = await make('task_template_groups', { templateId: row.id, titleText: `${name} group`, photoRequired: true })
  for (const [rank, descriptionText] of texts.entries()) {
    await make('checklist_items', { templateId: row.id, groupId: group.id, descriptionText, rank })
  }
  await make('task_rates', { templateId: row.id, estimatedMinutes: 45 })
  return row
}

const turnover = await template('Turnover', ['Sheets', 'Towels', 'Bins'])
const inspection = await template('Inspection', ['Look', 'Note'])
const bare = await template('Bare', [])

test('the task gets the requirements and the binding, and keeps everything else', async () => {
  const { id } = await task({ name: 'Mine', priority: 'low', estTime: 5 })
  const before = await detail(id)

  const answer = await apply({ taskId: id, templateId: turnover.id })

  assert.equal(answer.status, 200)
  const after = await detail(id)
  assert.deepEqual(answer.data, { itemCount: 3, taskItemIds: after.items.map((item: { id: string }) => item.id) })
  assert.deepEqual(after, { ...before, templateId: turnover.id, items: after.items, updatedAt: after.updatedAt })
  assert.ok(after.updatedAt > before.updatedAt)
  assert.deepEqual(descriptions(after), ['Sheets', 'Towels', 'Bins'])
  for (const [rank, item] of after.items.entries()) {
    assert.deepEqual([item.rank, item.groupTitle, item.photoRequired, item.completedAt], [rank, 'Turnover group', true, null])
  }
  const [event, ...more] = await eventsOf(id)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['task.template_applied', 'task', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, { templateId: { from: null, to: turnover.id }, itemCount: { to: 3 } })
})

test('a task bound to a template is left alone, unless replace is true: then items and binding are swapped out', async () => {
  const { id } = await task({ templateId: turnover.id })
  await make('task_items', { taskId: id, description: 'Sheets', rank: 0, completedAt: new Date() })
  const before = await detail(id)
  for (const body of [{}, { replace: false }]) {
    for (const templateId of [turnover.id, inspection.id]) {
      const answer = await apply({ taskId: id, templateId, ...body })
      assert.deepEqual([answer.status, answer.error.code], [409, 'template_already_applied'])
      assert.deepEqual(answer.error.details, { templateId: turnover.id })
    }
  }
  assert.deepEqual(await detail(id), before)

  const answer = await apply({ taskId: id, templateId: inspection.id, replace: true })

  assert.deepEqual([answer.status, answer.data.itemCount], [200, 2])
  const after = await detail(id)
  assert.deepEqual([after.templateId, descriptions(after)], [inspection.id, ['Look', 'Note']])
  assert.deepEqual((await eventsOf(id)).at(-1).changes.templateId, { from: turnover.id, to: inspection.id })
})

test('the same template applied with replace starts its items afresh', async () => {
  const { id } = await task()
  const first = await apply({ taskId: id, templateId: turnover.id, replace: true })
  await client('PATCH /task-items/{id}', { id: first.data.taskItemIds[0], body: { data: { completed: true } } })
  const second = await apply({ taskId: id, templateId: turnover.id, replace: true })
  const { items } = await detail(id)
  assert.deepEqual(
    items.map((item: { id: string }) => item.id),
    second.data.taskItemIds,
  )
  assert.ok(items.every((item: { completedAt: string | null }) => item.completedAt === null))
})

test('items of a task that is bound to none stay in front; with replace they go', async () => {
  const loose = async () => {
    const { id } = await task()
    await make('task_items', { taskId: id, description: 'Loose', rank: 7.5 })
    return id
  }
  const [kept, swapped] = [await loose(), await loose()]
  await apply({ taskId: kept, templateId: inspection.id })
  await apply({ taskId: swapped, templateId: inspection.id, replace: true })
  assert.deepEqual(descriptions(await detail(kept)), ['Loose', 'Look', 'Note'])
  assert.deepEqual(descriptions(await detail(swapped)), ['Look', 'Note'])
})

test('a template that requires nothing binds all the same', async () => {
  const { id } = await task()
  const answer = await apply({ taskId: id, templateId: bare.id })
  assert.deepEqual(answer.data, { itemCount: 0, taskItemIds: [] })
  assert.equal((await detail(id)).templateId, bare.id)
  assert.equal((await apply({ taskId: id, templateId: turnover.id })).status, 409)
})

test('of two applied at once one binds, and the other hears 409', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await task()
    const answers = await Promise.all([turnover, inspection].map((one) => apply({ taskId: id, templateId: one.id })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const after = await detail(id)
    const won = answers.findIndex(({ status }) => status === 200)
    assert.equal(after.templateId, [turnover, inspection][won]!.id)
    assert.equal(after.items.length, answers[won]!.data.itemCount)
  }
})

test('of two that replace at once the later one’s items remain', async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await task({ templateId: bare.id })
    const answers = await Promise.all(
      [turnover, inspection].map((one) => apply({ taskId: id, templateId: one.id, replace: true })),
    )
    const after = await detail(id)
    const last = answers[after.templateId === turnover.id ? 0 : 1]!
    assert.deepEqual(
      after.items.map((item: { id: string }) => item.id),
      last.data.taskItemIds,
    )
  }
})

test('a deleted template and a deleted task are refused, each with its code', async () => {
  const old = await template('Old', ['x'], { deletedAt: new Date() })
  const { id } = await task()
  const ofTemplate = await apply({ taskId: id, templateId: old.id })
  assert.deepEqual([ofTemplate.status, ofTemplate.error.code], [422, 'task_template_deleted'])
  const gone = await task({ deletedAt: new Date() })
  const ofTask = await apply({ taskId: gone.id, templateId: turnover.id })
  assert.deepEqual([ofTask.status, ofTask.error.code], [409, 'task_deleted'])
  assert.deepEqual([(await detail(id)).templateId, await eventsOf(id)], [null, []])
})

test('an unknown task and template are named at once, another organization’s likewise', async () => {
  const other = await organization(database)
  const department = await other.make('departments', {})
  const theirs = await other.make('tasks', { name: 'Theirs', departmentId: department.id })
  const theirTemplate = await other.make('task_templates', { name: 'Theirs', departmentId: department.id })
  for (const body of [
    { taskId: theirs.id, templateId: theirTemplate.id },
    { taskId: v7(), templateId: v7() },
  ]) {
    const answer = await apply(body)
    assert.deepEqual([answer.status, answer.error.code], [422, 'invalid_reference'])
    assert.deepEqual(answer.error.details.fields, [
      { field: 'taskId', code: 'unknown' },
      { field: 'templateId', code: 'unknown' },
    ])
  }
  const mine = await task()
  const answer = await apply({ taskId: mine.id, templateId: theirTemplate.id })
  assert.equal(answer.error.details.field, 'templateId')
})

test('each field is refused by name where it breaks what it is declared to be', async () => {
  const { id: taskId } = await task()
  for (const [field, values] of [
    ['taskId', [undefined, null, 'x']],
    ['templateId', [undefined, null, 'x']],
    ['replace', [null, 'true', 1]],
    ['surprise', [1]],
  ] as const) {
    for (const value of values) {
      const answer = await apply({ taskId, templateId: turnover.id, [field]: value })
      assert.deepEqual([answer.status, answer.error?.details.issues[0].path], [400, `body.${field}`])
    }
  }
})
