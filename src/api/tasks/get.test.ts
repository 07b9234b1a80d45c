import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { Task, TaskDetail } from './task.ts'

const { client, make, member, database } = await testServer()

const cleans = await make('departments', { name: 'Cleans', category: 'cleans' })
const ines = await member({ firstName: 'Inês' })

/** Contract, section 2. */
const contractFields = [
  ...['id', 'departmentId', 'propertyId', 'propertyGroupId', 'reservationId', 'templateId', 'scheduleId', 'requiredSkillId'],
  ...['assigneeUserId', 'assignerUserId', 'completedByUserId', 'createdById', 'collaborators', 'images', 'due', 'endTime'],
  ...['deletedAt', 'estTime', 'financialApprovalStatus', 'isBlocking', 'isRecurring', 'isTimeAdded', 'isUnassigned'],
  ...['permissionToEnter', 'priority', 'status', 'totalCost', 'type', 'publicEnabled', 'createdAt', 'updatedAt'],
]

const whole = {
  scheduleId: v7(),
  requiredSkillId: v7(),
  assigneeUserId: ines.userId,
  assignerUserId: ines.userId,
  completedByUserId: ines.userId,
  createdById: ines.userId,
  collaborators: [ines.userId],
  images: ['https://images.example/"1".jpg', 'https://images.example/2.jpg'],
  due: '2026-06-01T14:30:00.000Z',
  endTime: '2026-06-01T15:30:00.250Z',
  deletedAt: '2026-06-02T00:00:00.000Z',
  financialApprovalStatus: 'approved',
  isBlocking: true,
  isRecurring: true,
  isTimeAdded: true,
  permissionToEnter: true,
  priority: 'urgent',
  status: 'in_progress',
  type: 'cleans',
  publicEnabled: true,
  createdAt: '2026-05-01T00:00:00.000Z',
  updatedAt: '2026-05-02T00:00:00.125Z',
  name: 'Clean "everything"',
  description: 'Mind\nthe cat',
}

test("a task answers the contract's fields, its name, its description and its items", async () => {
  const group = await make('property_groups', { name: 'Alfama' })
  const property = await make('properties', { propertyGroupId: group.id })
  const reservation = await make('reservations', { propertyId: property.id })
  const template = await make('task_templates', { name: 'Clean', departmentId: cleans.id })
  const links = {
    departmentId: cleans.id,
    propertyId: property.id,
    propertyGroupId: group.id,
    reservationId: reservation.id,
    templateId: template.id,
  }
  const task = await make('tasks', { ...whole, ...links, estTime: 45 })

  const answer = await client('GET /tasks/{id}', { id: task.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.data), [...contractFields, 'name', 'description', 'items'])
  const computed = { estTime: '45', isUnassigned: false, totalCost: 0, items: [] }
  assert.deepEqual(answer.data, { id: task.id, ...whole, ...links, ...computed })
})

test("the contract's Task has exactly the contract's fields", () => {
  assert.deepEqual(Object.keys(Task.properties), contractFields)
})

test('a task of which little is known answers null, empty and false', async () => {
  const task = await make('tasks', { name: 'Clean', departmentId: cleans.id })

  const { data } = await client('GET /tasks/{id}', { id: task.id })

  assert.ok(Compile(TaskDetail).Check(data))
  const told = Object.fromEntries(Object.entries(data).filter(([name, value]) => value !== null && !name.endsWith('At')))
  assert.deepEqual(told, {
    id: task.id,
    departmentId: cleans.id,
    collaborators: [],
    images: [],
    isBlocking: false,
    isRecurring: false,
    isTimeAdded: false,
    isUnassigned: true,
    permissionToEnter: false,
    publicEnabled: false,
    totalCost: 0,
    name: 'Clean',
    items: [],
  })
})

test('estTime is the number of minutes as a decimal string, without empty places', async () => {
  for (const [stored, answered] of [
    ['0', '0'],
    ['90.00', '90'],
    ['12.50', '12.5'],
    ['100', '100'],
    ['0.1', '0.1'],
  ]) {
    const task = await make('tasks', { name: 'Clean', departmentId: cleans.id, estTime: stored! })
    assert.equal((await client('GET /tasks/{id}', { id: task.id })).data.estTime, answered)
  }
})

test('totalCost is the sum in cents of its cost items and time entries, whatever their approval', async () => {
  const task = await make('tasks', { name: 'Clean', departmentId: cleans.id })
  const another = await make('tasks', { name: 'Clean', departmentId: cleans.id })
  const item = (columns: object) =>
    make('cost_items', { costType: 'material', incurredAt: new Date(), taskId: task.id, ...columns })
  const entry = (columns: object) =>
    make('time_entries', { memberId: ines.id, startTime: new Date(), taskId: task.id, ...columns })
  await item({ totalCostCents: 1_250, isApproved: true })
  await item({ totalCostCents: -50, isApproved: false })
  await item({ totalCostCents: 9_999, taskId: another.id })
  await entry({ attributedCostCents: 3_000 })
  await entry({})
  await entry({ attributedCostCents: 5, taskId: another.id })

  const costOf = async ({ id }: { id: string }) => (await client('GET /tasks/{id}', { id })).data.totalCost
  assert.equal(await costOf(task), 4_200)
  assert.equal(await costOf(another), 10_004)
})

test('items come by rank with all their fields', async () => {
  const task = await make('tasks', { name: 'Clean', departmentId: cleans.id })
  const item = {
    checklistItemId: v7(),
    groupTitle: 'Bathroom',
    description: 'Scrub "well"',
    rank: 1.5,
    photoRequired: true,
    completedAt: '2026-06-01T15:00:00.000Z',
    completedByUserId: ines.userId,
    createdAt: '2026-05-01T00:00:00.000Z',
    updatedAt: '2026-05-02T00:00:00.125Z',
  }
  const last = await make('task_items', { taskId: task.id, rank: 10 })
  const middle = await make('task_items', { taskId: task.id, ...item })
  const first = await make('task_items', { taskId: task.id, rank: 0 })

  const { items } = (await client('GET /tasks/{id}', { id: task.id })).data

  assert.deepEqual(
    items.map(({ id }: { id: string }) => id),
    [first.id, middle.id, last.id],
  )
  assert.deepEqual(items[1], { id: middle.id, ...item })
  assert.deepEqual(Object.keys(items[0]), Object.keys(items[1]))
  assert.equal(items[0].photoRequired, false)
  assert.equal(items[0].completedAt, null)
})

test("another organization's task does not exist", async () => {
  const other = await organization(database)
  const department = await other.make('departments', { name: 'Cleans' })
  const task = await other.make('tasks', { name: 'Clean', departmentId: department.id })

  const answer = await client('GET /tasks/{id}', { id: task.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'task_not_found')
})
