import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

// Each request has an instant of its own, later than that of any row made for it, so that an update shows.
let seconds = 0
const clock = () => new Date(Date.UTC(2040, 4, 4) + 1000 * seconds++)
const { client, make, member, keyFor, owner, database } = await testServer({ clock })

const cleans = await make('departments', { name: 'Cleans', category: 'cleans' })
const repairs = await make('departments', { name: 'Repairs' })
const group = await make('property_groups', { name: 'Alfama' })
const azul = await make('properties', { propertyGroupId: group.id })
const verde = await make('properties', {})
const stay = await make('reservations', { propertyId: azul.id })
const ines = await member()
const rui = await member()
const deputy = await keyFor(rui.id)

const task = (columns = {}) => make('tasks', { name: 'Clean', departmentId: cleans.id, status: 'not_started', ...columns })
const update = (id: string, data: object, key?: string) =>
  client('PATCH /tasks/{id}', { id, body: { data }, ...(key ? { key } : {}) })
const detail = async (id: string) => (await client('GET /tasks/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data

const id = (...ids: string[]) => fc.constantFrom(...ids)
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const people = fc.constantFrom(owner.userId, ines.userId, rui.userId)
const changes = fc.record(
  {
    name: fc.constantFrom('Clean', 'Mend "it"', '  x '),
    description: orNull(fc.constantFrom('', 'All\nof it')),
    status: fc.constantFrom('triage', 'not_started', 'in_progress', 'paused', 'completed', 'cancelled'),
    assigneeUserId: orNull(people),
    collaborators: fc.uniqueArray(people),
    departmentId: id(cleans.id, repairs.id),
    due: orNull(fc.constantFrom('2026-06-01T14:30:00.000Z', '2026-06-02T00:00:00.250Z')),
    estTime: orNull(fc.constantFrom(0, 0.5, 45)),
    images: fc.subarray(['https://images.example/1.jpg', 'https://images.example/2.jpg']),
    isBlocking: fc.boolean(),
    permissionToEnter: fc.boolean(),
    priority: fc.constantFrom('watch', 'low', 'medium', 'high', 'urgent'),
    propertyId: orNull(id(azul.id, verde.id)),
    requiredSkillId: orNull(id(v7(), v7())),
    reservationId: orNull(id(stay.id)),
  },
  { requiredKeys: [] },
)
type Changes = typeof changes extends fc.Arbitrary<infer C> ? C : never

/** A task's fields after a change by the owner; `at` is the instant it is noted at. */
function changed(before: Record<string, unknown>, data: Changes, at: unknown): Record<string, unknown> {
  const { estTime, ...same } = data
  const after: Record<string, unknown> = { ...before, ...same }
  if (estTime !== undefined) after.estTime = estTime === null ? null : String(estTime)
  if (after.departmentId !== before.departmentId) after.type = after.departmentId === cleans.id ? 'cleans' : null
  if (after.propertyId !== before.propertyId) after.propertyGroupId = after.propertyId === azul.id ? group.id : null
  if (after.assigneeUserId !== before.assigneeUserId) after.assignerUserId = after.assigneeUserId && owner.userId
  after.isUnassigned = after.assigneeUserId === null
  const [was, is] = [before.status === 'completed', after.status === 'completed']
  if (was !== is) Object.assign(after, { endTime: is ? at : null, completedByUserId: is ? owner.userId : null })
  return after
}

test('exactly what is sent changes, with what follows from it; the answer is what a later read says', async () => {
  const { id } = await task({ type: 'cleans' })
  await make('task_items', { taskId: id, description: 'Oven', rank: 0 })
  await fc.assert(
    fc.asyncProperty(changes, async (data) => {
      const before = await detail(id)
      const { total } = (await client('GET /events', { query: { entityId: id, limit: 1 } })).meta.pagination

      const answer = await update(id, data)

      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(await detail(id), answer.data)
      const { updatedAt } = answer.data
      const expected = changed(before, data, updatedAt)
      assert.deepEqual(answer.data, { ...expected, updatedAt })
      const fields = Object.keys(expected).filter((name) => name !== 'isUnassigned' && !isSame(expected[name], before[name]))
      assert.equal(updatedAt > before.updatedAt, fields.length > 0)
      const { data: written } = await client('GET /events', { query: { entityId: id, offset: total } })
      assert.deepEqual(
        written.map((event: { type: string; changes: object }) => [event.type, event.changes]),
        fields.length === 0
          ? []
          : [['task.updated', Object.fromEntries(fields.map((name) => [name, { from: before[name], to: expected[name] }]))]],
      )
    }),
    { numRuns: 60 },
  )
})

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

test('who completes a task is noted with the time; leaving completed takes both back', async () => {
  const { id } = await task()
  const done = await update(id, { status: 'completed' }, deputy.key)
  assert.deepEqual([done.data.completedByUserId, done.data.endTime], [rui.userId, done.data.updatedAt])
  const again = await update(id, { status: 'completed', name: 'Done' })
  assert.deepEqual([again.data.completedByUserId, again.data.endTime], [rui.userId, done.data.endTime])
  const reopened = await update(id, { status: 'in_progress' })
  assert.deepEqual([reopened.data.completedByUserId, reopened.data.endTime], [null, null])
})

test('who changes the assignee becomes the assigner, who sends the same one does not', async () => {
  const { id } = await task({ assigneeUserId: ines.userId, assignerUserId: owner.userId })
  assert.equal((await update(id, { assigneeUserId: ines.userId }, deputy.key)).data.assignerUserId, owner.userId)
  assert.equal((await update(id, { assigneeUserId: rui.userId }, deputy.key)).data.assignerUserId, rui.userId)
})

test('an estimate stored in more digits than numbers have stays while it is not sent', async () => {
  const { id } = await task({ estTime: '12.345678901234567890123' })
  assert.equal((await update(id, { name: 'Other' })).data.estTime, '12.345678901234567890123')
  assert.equal((await update(id, { estTime: 12.345678901234567 })).data.estTime, '12.345678901234567890123')
  assert.equal((await update(id, { estTime: 1e-7 })).data.estTime, '0.0000001')
})

test('what was so before may be sent again, though it could not be chosen now', async () => {
  const gone = await member({ deactivatedAt: new Date() })
  const archived = await make('departments', { name: 'Pools', archivedAt: new Date() })
  const before = { departmentId: archived.id, assigneeUserId: gone.userId, collaborators: [gone.userId] }
  const { id } = await task(before)
  assert.equal((await update(id, before)).status, 200)
  const added = await update(id, { ...before, collaborators: [gone.userId, rui.userId], name: 'Other' })
  assert.deepEqual([added.status, added.data.collaborators], [200, [gone.userId, rui.userId]])
})

test('two changes of different fields at once are both kept', async () => {
  const { id } = await task()
  const [name, priority] = await Promise.all([update(id, { name: 'Other' }), update(id, { priority: 'urgent' })])
  assert.deepEqual([name.status, priority.status], [200, 200])
  const { name: stored, priority: storedPriority } = await detail(id)
  assert.deepEqual([stored, storedPriority], ['Other', 'urgent'])
})

test('a deleted task can no longer be changed', async () => {
  const { id } = await task({ deletedAt: new Date() })
  const answer = await update(id, { name: 'Other' })
  assert.deepEqual([answer.status, answer.error.code], [409, 'task_deleted'])
})

test('each field is refused by name where it breaks what it is declared to be', async () => {
  const { id } = await task()
  const cases: [string, unknown[]][] = [
    ['name', [null, '', 'x'.repeat(501)]],
    ['description', ['x'.repeat(20_001), 1]],
    ['status', [null, 'done']],
    ['assigneeUserId', ['x', 1]],
    ['collaborators', [null, 'x']],
    ['departmentId', [null, 'x']],
    ['due', ['2026-06-01', '2026-06-01T10:00:00+02:00']],
    ['estTime', ['45']],
    ['images', [null]],
    ['images.0', [['1.jpg']]],
    ['isBlocking', [null]],
    ['permissionToEnter', [null, 'true']],
    ['priority', [null, 'highest']],
    ['propertyId', ['x']],
    ['requiredSkillId', ['x']],
    ['reservationId', ['x']],
    ['templateId', [v7()]],
    ['deletedAt', [null]],
  ]
  for (const [path, values] of cases) {
    for (const value of values) {
      const answer = await update(id, { [path.split('.')[0]!]: value })
      assert.equal(answer.status, 400, `${path}: ${JSON.stringify(value)}`)
      for (const issue of answer.error.details.issues) assert.equal(issue.path, `body.data.${path}`)
    }
  }
  for (const body of [{}, { name: 'x' }, { data: null }, { data: {}, name: 'x' }]) {
    assert.equal((await client('PATCH /tasks/{id}', { id, body })).status, 400)
  }
  assert.deepEqual(await eventsOf(id), [])
})

test('what cannot be meant is refused: references at once, an archived department, a negative estimate', async () => {
  const { id } = await task()
  const before = await detail(id)
  const other = await organization(database)
  const references = {
    departmentId: (await other.make('departments', {})).id,
    propertyId: (await other.make('properties', {})).id,
    reservationId: (await other.make('reservations', {})).id,
    assigneeUserId: other.owner.userId,
    collaborators: [ines.userId, ines.userId, ines.id, 'nobody'],
  }
  const wrong = await update(id, references)
  assert.deepEqual([wrong.status, wrong.error.code], [422, 'invalid_reference'])
  assert.deepEqual(wrong.error.details.fields, [
    ...['departmentId', 'propertyId', 'reservationId', 'assigneeUserId'].map((field) => ({ field, code: 'unknown' })),
    { field: 'collaborators.2', code: 'member_id', userId: ines.userId },
    { field: 'collaborators.3', code: 'unknown' },
  ])
  const archived = await make('departments', { archivedAt: new Date() })
  assert.equal((await update(id, { departmentId: archived.id })).error.code, 'department_archived')
  assert.equal((await update(id, { estTime: -1 })).error.code, 'negative_number')
  assert.deepEqual(await detail(id), before)
})
