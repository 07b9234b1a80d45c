import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'

const now = '2026-05-04T09:30:00.250Z'
let statements = 0
const { client, make, member, keyFor, owner } = await testServer({ clock: () => new Date(now), trace: () => statements++ })

const cleans = await make('departments', { name: 'Cleans', category: 'cleans' })
const group = await make('property_groups', { name: 'Alfama' })
const azul = await make('properties', { name: 'Casa Azul', propertyGroupId: group.id })
const verde = await make('properties', { name: 'Casa Verde' })
const stay = await make('reservations', { propertyId: azul.id })
const ines = await member({ firstName: 'Inês' })
const invited = await member({ joinedAt: null, memberType: 'internal' })

const create = (body: object, key?: string) =>
  client('POST /tasks', { body: { departmentId: cleans.id, name: 'Fix the tap', ...body }, ...(key ? { key } : {}) })

test('a task of which only the name and the department are given takes the defaults, and is read as it was answered', async () => {
  const answer = await create({})

  assert.equal(answer.status, 201)
  assert.deepEqual(Object.keys(answer.data), ['task'])
  const { task } = answer.data
  assert.deepEqual(task, {
    id: task.id,
    departmentId: cleans.id,
    propertyId: null,
    propertyGroupId: null,
    reservationId: null,
    templateId: null,
    scheduleId: null,
    requiredSkillId: null,
    assigneeUserId: null,
    assignerUserId: null,
    completedByUserId: null,
    createdById: owner.userId,
    collaborators: [],
    images: [],
    due: null,
    endTime: null,
    deletedAt: null,
    estTime: null,
    financialApprovalStatus: null,
    isBlocking: false,
    isRecurring: false,
    isTimeAdded: false,
    isUnassigned: true,
    permissionToEnter: false,
    priority: 'medium',
    status: 'not_started',
    totalCost: 0,
    type: 'cleans',
    publicEnabled: false,
    createdAt: now,
    updatedAt: now,
  })
  const { data } = await client('GET /tasks/{id}', { id: task.id })
  assert.deepEqual(data, { ...task, name: 'Fix the tap', description: null, items: [] })
})

test('everything that can be given is kept, and the caller becomes the assigner', async () => {
  const given = {
    assigneeUserId: ines.userId,
    collaborators: [invited.userId, owner.userId],
    images: ['https://images.example/"1".jpg', 'http://images.example/2.jpg'],
    isBlocking: true,
    permissionToEnter: true,
    priority: 'urgent',
    propertyId: azul.id,
    requiredSkillId: v7(),
    reservationId: stay.id,
    status: 'in_progress',
  }
  const texts = { name: 'Mend the "tap"', description: 'It drips\nsince May' }

  const answer = await create({ ...given, ...texts, due: '2026-06-01T14:30Z', estTime: 12.5 })

  assert.equal(answer.status, 201)
  const { data } = await client('GET /tasks/{id}', { id: answer.data.task.id })
  assert.deepEqual(data, { ...answer.data.task, ...texts, items: [] })
  assert.deepEqual(answer.data.task, {
    ...answer.data.task,
    ...given,
    due: '2026-06-01T14:30:00.000Z',
    estTime: '12.5',
    propertyGroupId: group.id,
    assignerUserId: owner.userId,
    isUnassigned: false,
    completedByUserId: null,
    endTime: null,
  })
})

test('the audit log tells who made the task, by which request, with what', async () => {
  const key = await keyFor(ines.id)
  const body = { departmentId: cleans.id, name: 'Fix the tap', priority: 'low' }

  const answer = await create(body, key.key)

  const { data } = await client('GET /events', { query: { entityId: answer.data.task.id } })
  assert.equal(data.length, 1)
  const [{ id: _, ...event }] = data
  assert.deepEqual(event, {
    type: 'task.created',
    entityType: 'task',
    entityId: answer.data.task.id,
    memberId: ines.id,
    apiKeyId: key.id,
    requestId: answer.meta.requestId,
    idempotencyKey: null,
    changes: { departmentId: { to: cleans.id }, name: { to: 'Fix the tap' }, priority: { to: 'low' } },
    createdAt: now,
  })
  assert.equal(answer.data.task.createdById, ines.userId)
})

test('the property is the one given, else the one of the stay, else the default of the key', async () => {
  const nowhere = await make('reservations', {})
  const withDefault = (await keyFor(owner.id, { defaultPropertyId: verde.id })).key
  const withGone = (await keyFor(owner.id, { defaultPropertyId: v7() })).key
  const cases: [object, string | undefined, string | null][] = [
    [{}, undefined, null],
    [{ propertyId: verde.id, reservationId: stay.id }, undefined, verde.id],
    [{ reservationId: stay.id }, undefined, azul.id],
    [{ reservationId: stay.id }, withDefault, azul.id],
    [{ reservationId: nowhere.id }, undefined, null],
    [{ reservationId: nowhere.id }, withDefault, verde.id],
    [{}, withDefault, verde.id],
    [{ propertyId: azul.id }, withDefault, azul.id],
    [{}, withGone, null],
  ]
  for (const [body, key, propertyId] of cases) {
    const { data } = await create(body, key)
    assert.equal(data.task.propertyId, propertyId, JSON.stringify(body))
    assert.equal(data.task.propertyGroupId, propertyId === azul.id ? group.id : null)
  }
})

test('a task may be made in any of the six states; a completed one was completed by the caller, now', async () => {
  for (const status of ['triage', 'not_started', 'in_progress', 'paused', 'completed', 'cancelled']) {
    const { task } = (await create({ status })).data
    const done = status === 'completed'
    assert.deepEqual([task.status, task.completedByUserId, task.endTime], [status, done ? owner.userId : null, done ? now : null])
  }
})

test('due is taken with and without seconds, at any fraction, and answered in milliseconds, never of another day', async () => {
  for (const [due, answered] of [
    ['2026-06-01T14:30Z', '2026-06-01T14:30:00.000Z'],
    ['2026-06-01T14:30:15Z', '2026-06-01T14:30:15.000Z'],
    ['2026-06-01T14:30:15.5Z', '2026-06-01T14:30:15.500Z'],
    ['2026-06-01T14:30:15.123Z', '2026-06-01T14:30:15.123Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00Z', '0001-01-01T00:00:00.000Z'],
  ]) {
    assert.equal((await create({ due })).data.task.due, answered)
  }
})

test('estTime comes back as the same number, in decimal notation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), async (estTime) => {
      const { task } = (await create({ estTime })).data
      assert.match(task.estTime, /^\d+(\.\d*[1-9])?$/)
      assert.equal(Number(task.estTime), Math.abs(estTime))
    }),
    { numRuns: 40 },
  )
})

test('a collaborator named twice is one; ids are taken in any case', async () => {
  const collaborators = [ines.userId.toUpperCase(), owner.userId, ines.userId]
  const { data } = await create({ collaborators, assigneeUserId: ines.userId.toUpperCase(), propertyId: azul.id.toUpperCase() })
  assert.deepEqual(data.task.collaborators, [ines.userId, owner.userId])
  assert.equal(data.task.assigneeUserId, ines.userId)
  assert.equal(data.task.propertyId, azul.id)
})

test('the same Idempotency-Key makes one task', async () => {
  const call = { body: { departmentId: cleans.id, name: 'Only once' }, headers: { 'idempotency-key': v7() } }
  const first = await client('POST /tasks', call)
  const again = await client('POST /tasks', call)
  assert.deepEqual([again.status, again.data, again.headers['idempotency-replayed']], [201, first.data, 'true'])
  const { meta } = await client('GET /tasks', { query: { nameContains: 'Only once' } })
  assert.equal(meta.pagination.total, 1)
})

test('the plain case is one statement, and says and leaves behind what the long way does', async () => {
  const template = await make('task_templates', { name: 'Long way', departmentId: cleans.id })
  const outcome = async (given: object, name: string) => {
    const [body, key] = [{ departmentId: cleans.id, name: 'Short way', propertyId: azul.id, ...given }, v7()]
    const send = () => client('POST /tasks', { body, headers: { 'idempotency-key': key } })
    statements = 0
    const answer = await send()
    const used = statements
    const replay = await send()
    assert.deepEqual([replay.status, replay.headers['idempotency-replayed'], replay.data], [201, 'true', answer.data])
    const { id, templateId, ...task } = answer.data.task
    const { data } = await client('GET /events', { query: { entityId: id } })
    const [{ id: _, entityId, requestId, idempotencyKey, changes, ...event }] = data
    assert.deepEqual([data.length, requestId, idempotencyKey, changes.name], [1, answer.meta.requestId, key, { to: name }])
    return { used, told: { task, event } }
  }

  const [short, long] = [await outcome({}, 'Short way'), await outcome({ templateId: template.id }, 'Long way')]
  assert.equal(short.used, 1)
  assert.ok(long.used > 1)
  assert.deepEqual(short.told, long.told)
})
