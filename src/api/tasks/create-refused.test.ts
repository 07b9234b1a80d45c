import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, member, owner, database } = await testServer()

const cleans = await make('departments', { name: 'Cleans' })
const other = await organization(database)

const create = (body: object, headers = {}) =>
  client('POST /tasks', { body: { departmentId: cleans.id, name: 'Fix the tap', ...body }, headers })
const total = async (): Promise<number> => (await client('GET /tasks')).meta.pagination.total

const long = (length: number) => 'x'.repeat(length)
const many = (item: string) => Array.from({ length: 201 }, () => item)

test('each field is refused by name where it breaks what it is declared to be', async () => {
  const cases: [string, unknown[]][] = [
    ['departmentId', [undefined, null, 'x', 1, `urn:uuid:${v7()}`]],
    ['name', [undefined, null, '', 1, long(501), 'a\0b', '\ud800']],
    ['assigneeUserId', [null, 'x', 1]],
    ['collaborators', [null, 'x', {}, many(v7())]],
    ['collaborators.0', [[null], [1], [long(501)]]],
    ['description', [null, 1, long(20_001), 'a\0b']],
    ['due', [null, 1, 'tomorrow', '2026-06-01', '2026-06-01T10:00:00', '2026-06-01T10:00:00+02:00', '2026-06-01T10:00:00.Z']],
    ['due', ['2026-02-30T10:00Z', '0000-01-01T10:00Z', '2026-06-01T24:00Z', '2026-06-01T10:00:60Z', '2026-06-01T10Z']],
    ['estTime', [null, '45', true]],
    ['images', [null, 'https://images.example/1.jpg', many('https://images.example/1.jpg')]],
    [
      'images.0',
      [[1], ['1.jpg'], ['ftp://images.example/1.jpg'], ['javascript:alert(1)'], [`https://images.example/${long(2_000)}`]],
    ],
    ['isBlocking', [null, 'true', 1]],
    ['permissionToEnter', [null, 'true', 1]],
    ['priority', [null, '', 'highest', 'Low']],
    ['propertyId', [null, 'x', 1]],
    ['requiredSkillId', [null, 'x', 1]],
    ['reservationId', [null, 'x', 1]],
    ['status', [null, '', 'done']],
    ['templateId', [null, 'x', 1]],
    ['surprise', [1]],
  ]
  for (const [path, values] of cases) {
    for (const value of values) {
      const answer = await create({ [path.split('.')[0]!]: value })
      assert.equal(answer.status, 400, `${path}: ${JSON.stringify(value)}`)
      assert.ok(
        answer.error.details.issues.every((issue: { path: string }) => issue.path === `body.${path}`),
        answer.text,
      )
    }
  }
  assert.equal(await total(), 0)
})

test('an infinite or negative estimate is refused, the one as no number, the other by the rule', async () => {
  const body = `{ "departmentId": "${cleans.id}", "name": "x", "estTime": 1e999 }`
  const infinite = await client('POST /tasks', { body, headers: { 'content-type': 'application/json' } })
  assert.equal(infinite.status, 400)
  const negative = await create({ estTime: -0.5 })
  assert.deepEqual([negative.status, negative.error.code], [422, 'negative_number'])
  assert.deepEqual(negative.error.details, { field: 'estTime' })
})

test('every reference that leads nowhere is named at once, another organization’s like one that never was', async () => {
  const department = await other.make('departments', { name: 'Cleans' })
  const foreign = {
    departmentId: department.id,
    propertyId: (await other.make('properties', {})).id,
    reservationId: (await other.make('reservations', {})).id,
    templateId: (await other.make('task_templates', { name: 'Clean', departmentId: department.id })).id,
    assigneeUserId: other.owner.userId,
    collaborators: [owner.userId, other.owner.userId, 'nobody', ''],
  }
  const nowhere = {
    ...Object.fromEntries(Object.keys(foreign).map((field) => [field, v7()])),
    collaborators: [owner.userId, v7(), '*', '{}'],
  }
  for (const body of [foreign, nowhere]) {
    const answer = await create(body)
    assert.deepEqual([answer.status, answer.error.type, answer.error.code], [422, 'business_rule_error', 'invalid_reference'])
    const fields = ['departmentId', 'propertyId', 'reservationId', 'templateId', 'assigneeUserId']
    const collaborators = ['collaborators.1', 'collaborators.2', 'collaborators.3']
    assert.equal(answer.error.details.field, 'departmentId')
    assert.deepEqual(
      answer.error.details.fields,
      [...fields, ...collaborators].map((field) => ({ field, code: 'unknown' })),
    )
  }
  assert.equal(await total(), 0)
})

test('a member id is no user id, and the user that was meant is named', async () => {
  const ines = await member()
  const answer = await create({ assigneeUserId: ines.id, collaborators: [ines.userId, ines.id] })
  assert.equal(answer.status, 422)
  assert.deepEqual(answer.error.details.fields, [
    { field: 'assigneeUserId', code: 'member_id', userId: ines.userId },
    { field: 'collaborators.1', code: 'member_id', userId: ines.userId },
  ])
})

test('work goes to active members, and to invited ones who are not external', async () => {
  const wrong = [
    await member({ deactivatedAt: new Date() }),
    await member({ deactivatedAt: new Date(), joinedAt: null }),
    await member({ joinedAt: null, memberType: 'external' }),
  ]
  for (const { userId } of wrong) {
    const answer = await create({ assigneeUserId: userId, collaborators: [userId] })
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.error.details.fields, [
      { field: 'assigneeUserId', code: 'not_assignable' },
      { field: 'collaborators.0', code: 'not_assignable' },
    ])
  }
  for (const { userId } of [await member({ memberType: 'external' }), await member({ joinedAt: null })]) {
    assert.equal((await create({ assigneeUserId: userId, collaborators: [userId] })).status, 201)
  }
})

test('an archived department takes no new tasks', async () => {
  const archived = await make('departments', { name: 'Pools', archivedAt: new Date() })
  const answer = await create({ departmentId: archived.id })
  assert.deepEqual([answer.status, answer.error.code], [422, 'department_archived'])
  assert.deepEqual(answer.error.details, { field: 'departmentId' })
})

test('a deleted template cannot be named; a wrong reference is told before it', async () => {
  const templateId = (await make('task_templates', { name: 'Old', departmentId: cleans.id, deletedAt: new Date() })).id
  const answer = await create({ templateId })
  assert.deepEqual([answer.status, answer.error.code], [422, 'task_template_deleted'])
  assert.deepEqual(answer.error.details, { field: 'templateId' })
  assert.equal((await create({ templateId, propertyId: v7() })).error.code, 'invalid_reference')
})

test('a refusal is replayed for its Idempotency-Key, and leaves neither task nor event', async () => {
  const [before, headers, propertyId] = [await total(), { 'idempotency-key': v7() }, v7()]
  const first = await create({ propertyId }, headers)
  const again = await create({ propertyId }, headers)
  assert.deepEqual([again.status, again.error, again.headers['idempotency-replayed']], [422, first.error, 'true'])
  assert.equal(await total(), before)
  const { data } = await client('GET /events', { query: { types: ['task.created'] } })
  assert.equal(data.length, before)
})
