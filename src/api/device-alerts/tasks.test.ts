import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { changing } from '../../http/events.ts'
import { reconcileAlerts } from './reconcile.ts'

const { database, config, client } = await testServer()

/** An organization with a rule for low batteries, whose template belongs to a department of its own. */
async function world({ hasDepartment = true } = {}) {
  const there = await organization(database)
  const { make, organizationId, key } = there
  await make('departments', {
    name: 'Old repairs',
    category: 'maintenance',
    archivedAt: new Date(),
    createdAt: '2020-01-01T00:00:00.000Z',
  })
  if (hasDepartment)
    await make('departments', {
      name: 'Repairs',
      isMaintenance: true,
      category: 'maintenance',
      createdAt: '2021-01-01T00:00:00.000Z',
    })
  const cleans = await make('departments', {
    name: 'Cleans',
    category: 'cleans',
    isMaintenance: false,
    createdAt: '2019-01-01T00:00:00.000Z',
  })
  const template = await make('task_templates', {
    name: 'Change the battery',
    description: 'Four AA cells.',
    departmentId: cleans.id,
    priority: 'high',
    permissionToEnter: true,
  })
  const group = await make('task_template_groups', { templateId: template.id, titleText: 'At the door', rank: 0 })
  await make('checklist_items', { groupId: group.id, templateId: template.id, descriptionText: 'Open the cover', rank: 0 })
  await make('task_rates', { templateId: template.id, estimatedMinutes: 15 })
  const rule = await client('POST /device-alert-rules', { key, body: { kind: 'low_battery', taskTemplateId: template.id } })
  assert.equal(rule.status, 200)
  const account = await make('integration_accounts', { provider: 'seam' })
  const house = await make('properties', { name: 'Casa Limoeiro' })
  const device = await make('devices', {
    name: 'Front door',
    type: 'lock',
    integrationAccountId: account.id,
    externalId: 'a',
    batteryLevel: 7,
  })
  await make('device_properties', { deviceId: device.id, propertyId: house.id })
  const cause = { organizationId, memberId: null, keyId: null, requestId: null, idempotencyKey: null }
  const reconcile = () =>
    changing(database, cause, new Date(), (trx) => reconcileAlerts(trx, organizationId, [device.id], new Date(), config))
  const setBattery = async (percent: number) => {
    await database.transaction((trx) =>
      trx.run(sql`update devices set battery_level = ${percent} where organization_id = ${organizationId} and id = ${device.id}`),
    )
    await reconcile()
  }
  const alerts = async () => (await client('GET /device-alerts', { key, query: { deviceId: device.id } })).data
  const tasks = async () => (await client('GET /tasks', { key })).data
  return { ...there, template, cleans, house, device, reconcile, setBattery, alerts, tasks }
}

test('a rule makes one task with the alert, by its template, at the property, in the department for maintenance', async () => {
  const { key, reconcile, alerts, tasks, house, template } = await world()
  await Promise.all([reconcile(), reconcile(), reconcile()])
  const [task, ...others] = await tasks()
  const [alert] = await alerts()
  assert.deepEqual([others, alert.taskId, alert.taskProblem], [[], task.id, null])
  const { name, description, propertyId, templateId, priority, estTime, permissionToEnter, status, type } = task
  assert.deepEqual(
    [name, propertyId, templateId, priority, estTime, permissionToEnter, status, type],
    ['Change the battery: Front door', house.id, template.id, 'high', '15', true, 'not_started', 'maintenance'],
  )
  assert.equal(description, 'Four AA cells.\n\nThe battery of "Front door" is low (7 %).')
  const departments = (await client('GET /departments', { key })).data
  assert.equal(departments.find(({ id }: { id: string }) => id === task.departmentId).name, 'Repairs')
  assert.deepEqual(
    task.items.map((item: { description: string }) => item.description),
    ['Open the cover'],
  )
  const { data } = await client('GET /events', { key, query: { entityId: task.id } })
  assert.deepEqual([data.length, data[0].type, data[0].changes.deviceAlertId], [1, 'task.created', { to: alert.id }])
  const found = await client('GET /search', { key, query: { query: 'chagne batery' } })
  assert.deepEqual(
    found.data.items.map(({ entityId }: { entityId: string }) => entityId),
    [task.id],
  )
})

test("the template's own department takes the task where it is one for maintenance", async () => {
  const { key, make, reconcile, tasks } = await world()
  const electrics = await make('departments', { name: 'Electrics', isMaintenance: true, createdAt: '2025-01-01T00:00:00.000Z' })
  const template = await make('task_templates', { name: 'Look at it', departmentId: electrics.id })
  await client('POST /device-alert-rules', { key, body: { kind: 'low_battery', taskTemplateId: template.id } })
  await reconcile()
  const [task] = await tasks()
  assert.deepEqual([task.departmentId, task.priority, task.estTime], [electrics.id, 'medium', null])
})

test('a battery that comes and goes has one task until it is done', async () => {
  const { key, setBattery, alerts, tasks } = await world()
  for (const percent of [5, 90, 5]) await setBattery(percent)
  const [first, second] = await alerts()
  assert.deepEqual([(await tasks()).length, second.taskId], [1, first.taskId])
  await client('PATCH /tasks/{id}', { key, id: first.taskId, body: { data: { status: 'completed' } } })
  for (const percent of [90, 5]) await setBattery(percent)
  const third = (await alerts())[2]
  assert.equal((await tasks()).length, 2)
  assert.notEqual(third.taskId, first.taskId)
})

test('without a department for maintenance the alert opens all the same, and says why there is no task', async () => {
  const { reconcile, alerts, tasks } = await world({ hasDepartment: false })
  await reconcile()
  const [{ state, taskId, taskProblem }] = await alerts()
  assert.deepEqual([state, taskId, taskProblem, await tasks()], ['open', null, 'no_department', []])
})

test('with a template that was deleted since, likewise', async () => {
  const { reconcile, alerts, tasks, template, organizationId } = await world()
  await database.transaction((trx) =>
    trx.run(sql`update task_templates set deleted_at = now() where organization_id = ${organizationId} and id = ${template.id}`),
  )
  await reconcile()
  const [{ state, taskId, taskProblem }] = await alerts()
  assert.deepEqual([state, taskId, taskProblem, await tasks()], ['open', null, 'no_template', []])
})

test('kinds without a rule make no task, nor does one whose rule was deleted', async () => {
  const { key, reconcile, alerts, tasks, device, organizationId } = await world()
  const [rule] = (await client('GET /device-alert-rules', { key })).data
  await client('DELETE /device-alert-rules/{id}', { key, id: rule.id })
  await database.transaction((trx) =>
    trx.run(sql`update devices set online = false where organization_id = ${organizationId} and id = ${device.id}`),
  )
  await reconcile()
  assert.deepEqual((await alerts()).map(({ kind, taskId }: { kind: string; taskId: null }) => [kind, taskId]).sort(), [
    ['low_battery', null],
    ['offline', null],
  ])
  assert.deepEqual(await tasks(), [])
})

test('names of any length fit', async () => {
  const { key, make, reconcile, tasks, cleans } = await world()
  const template = await make('task_templates', {
    name: `${'x'.repeat(499)}🔋`,
    departmentId: cleans.id,
    description: 'd'.repeat(20_000),
  })
  await client('POST /device-alert-rules', { key, body: { kind: 'low_battery', taskTemplateId: template.id } })
  await reconcile()
  const [{ name, description }] = await tasks()
  assert.deepEqual([name.length, description.length], [500, 20_000])
})
