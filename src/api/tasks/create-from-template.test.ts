import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

const cleans = await make('departments', { name: 'Cleans', category: 'cleans' })
const repairs = await make('departments', { name: 'Repairs' })
const azul = await make('properties', { name: 'Casa Azul' })
const verde = await make('properties', { name: 'Casa Verde' })

const template = (name: string, columns = {}) => make('task_templates', { name, departmentId: cleans.id, ...columns })
const create = (body: object) => client('POST /tasks', { body: { departmentId: cleans.id, name: 'nameless', ...body } })
const detail = async (id: string) => (await client('GET /tasks/{id}', { id })).data

test('the template of that name is applied, whatever the case and surrounding space', async () => {
  const skill = v7()
  const whole = { description: 'Top to bottom', priority: 'high', permissionToEnter: true, requiredSkillId: skill }
  const { id } = await template('Turnover Ção', whole)
  await make('task_rates', { templateId: id, estimatedMinutes: '90.50' })

  const answer = await create({ name: '  turnover ÇÃO ' })

  assert.equal(answer.status, 201)
  const { task } = answer.data
  assert.deepEqual(
    [task.templateId, task.requiredSkillId, task.priority, task.permissionToEnter, task.estTime],
    [id, skill, 'high', true, '90.5'],
  )
  const read = await detail(task.id)
  assert.deepEqual(read, { ...task, name: 'Turnover Ção', description: 'Top to bottom', items: [] })
  const { data } = await client('GET /events', { query: { entityId: task.id } })
  assert.deepEqual(data[0].changes, {
    departmentId: { to: cleans.id },
    name: { to: 'Turnover Ção' },
    templateId: { to: id },
  })
})

test('what the request says of priority, description, entering and time wins; the skill is the template’s', async () => {
  const skill = v7()
  const { id } = await template('Linen', {
    description: 'All',
    priority: 'high',
    permissionToEnter: true,
    requiredSkillId: skill,
  })
  await make('task_rates', { templateId: id, estimatedMinutes: 90 })
  const given = { name: 'Linen', description: '', priority: 'watch', permissionToEnter: false, estTime: 0, requiredSkillId: v7() }

  const { task } = (await create(given)).data

  assert.deepEqual(
    [task.priority, task.permissionToEnter, task.estTime, task.requiredSkillId, task.templateId],
    ['watch', false, '0', skill, id],
  )
  assert.equal((await detail(task.id)).description, '')
})

test('where the template says nothing, the defaults and the skill of the request stand', async () => {
  const requiredSkillId = v7()
  await template('Keys')
  const { task } = (await create({ name: 'keys', requiredSkillId })).data
  assert.deepEqual(
    [task.priority, task.permissionToEnter, task.estTime, task.requiredSkillId],
    ['medium', false, null, requiredSkillId],
  )
})

test('only a template of the department that is not deleted matches, the newest of several', async () => {
  const templateIdOf = async (name: string) => (await create({ name })).data.task.templateId
  await template('Pool', { departmentId: repairs.id, createdAt: '2026-03-01T00:00:00Z' })
  assert.equal(await templateIdOf('Pool'), null)
  const old = await template('Pool', { createdAt: '2026-01-01T00:00:00Z' })
  assert.equal(await templateIdOf('pool'), old.id)
  const newer = await template('POOL', { createdAt: '2026-02-01T00:00:00Z' })
  assert.equal(await templateIdOf('Pool'), newer.id)
  await template('Pool', { createdAt: '2026-03-01T00:00:00Z', deletedAt: '2026-03-02T00:00:00Z' })
  assert.equal(await templateIdOf('Pool'), newer.id)
  assert.equal(await templateIdOf('Pools'), null)
  assert.equal(await templateIdOf('P%'), null)
})

test('a template named outright beats the one that matches, and may be of any department', async () => {
  await template('Gate')
  const named = await template('Boiler', { departmentId: repairs.id })
  const { task } = (await create({ name: 'Gate', templateId: named.id })).data
  assert.deepEqual([task.templateId, task.departmentId, task.type], [named.id, cleans.id, 'cleans'])
  assert.equal((await detail(task.id)).name, 'Boiler')
})

test('the requirements become items: by rank of group and item, without archived groups', async () => {
  const { id: templateId } = await template('Checkout')
  const group = (titleText: string | null, rank: number | null, columns = {}) =>
    make('task_template_groups', { templateId, titleText, rank, ...columns })
  const item = (groupId: string, descriptionText: string | null, rank: number | null) =>
    make('checklist_items', { templateId, groupId, descriptionText, rank })
  const untitled = await group(null, null)
  const kitchen = await group('Kitchen', 10, { photoRequired: true })
  const bath = await group('Bath "1"', 2, { photoRequired: false })
  const archived = await group('Cellar', 1, { isArchived: true })
  const expected = [
    [await item(bath.id, 'Tiles\n', 1.5), 'Bath "1"', 'Tiles\n', false],
    [await item(bath.id, 'Mirror', null), 'Bath "1"', 'Mirror', false],
    [await item(kitchen.id, 'Sink', 9), 'Kitchen', 'Sink', true],
    [await item(kitchen.id, 'Oven', 20), 'Kitchen', 'Oven', true],
    [await item(untitled.id, null, 0), null, null, false],
  ] as const
  await item(archived.id, 'Rats', 0)

  const answer = await create({ name: 'checkout' })

  const { items, createdAt } = await detail(answer.data.task.id)
  assert.equal(items.length, expected.length)
  for (const [rank, [{ id }, groupTitle, description, photoRequired]] of expected.entries()) {
    assert.deepEqual(items[rank], {
      id: items[rank].id,
      checklistItemId: id,
      groupTitle,
      description,
      rank,
      photoRequired,
      completedAt: null,
      completedByUserId: null,
      createdAt,
      updatedAt: createdAt,
    })
  }
})

test('the estimated time is the rate of the property, else the one for all, else unknown', async () => {
  const rated = await template('Windows')
  const rate = (templateId: string, propertyId: string | null, estimatedMinutes: number | null) =>
    make('task_rates', { templateId, propertyId, estimatedMinutes })
  await rate(rated.id, null, 60)
  await rate(rated.id, azul.id, 75)
  await rate(rated.id, verde.id, null)
  const special = await template('Roof')
  await rate(special.id, azul.id, 240)
  const stay = await make('reservations', { propertyId: azul.id })

  for (const [body, estTime] of [
    [{ name: 'Windows' }, '60'],
    [{ name: 'Windows', propertyId: azul.id }, '75'],
    [{ name: 'Windows', reservationId: stay.id }, '75'],
    [{ name: 'Windows', propertyId: verde.id }, '60'],
    [{ name: 'Windows', propertyId: azul.id, estTime: 5 }, '5'],
    [{ name: 'Roof' }, null],
    [{ name: 'Roof', propertyId: azul.id }, '240'],
    [{ name: 'Roof', propertyId: verde.id }, null],
  ] as const) {
    assert.equal((await create(body)).data.task.estTime, estTime, JSON.stringify(body))
  }
})
