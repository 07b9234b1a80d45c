import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-06-02T12:00:00.500Z')
const { client, make, member, keyFor, database, owner } = await testServer({ clock: () => now })

const update = (id: string, data: unknown) => client('PATCH /time-entries/{id}', { id, body: { data } })
const read = async (id: string) => (await client('GET /time-entries/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data
const refusal = ({ status, error }: Answer) => [status, error?.code, error?.details?.field]

const ines = await member({ hourlyCostCents: 1_200, hourlyBillableCents: 2_400 })
const cleaning = await make('departments', { name: 'Cleaning', color: '#123456' })
const villa = await make('properties', { name: 'Villa' })
const task = await make('tasks', { name: 'Turnover', departmentId: cleaning.id })
const coffee = await make('break_definitions', { name: 'Coffee', isPaid: true })
const lunch = await make('break_definitions', { name: 'Lunch', isPaid: false })

const recorded = '2026-06-01T18:00:00.000Z'
const finished = {
  memberId: ines.id,
  startTime: '2026-06-01T08:00:00.000Z',
  endTime: '2026-06-01T10:00:00.000Z',
  durationMinutes: 120,
  // Not what the rates of today would give: recorded under others.
  attributedCostCents: 2_000,
  attributedBillableCents: 4_000,
  isApproved: true,
  createdAt: recorded,
  updatedAt: recorded,
}
const entry = (columns: Parameters<typeof make>[1] = {}) => make('time_entries', { ...finished, ...columns })

test('corrected times are charged anew, show as edited, wait for approval again, and read as answered', async () => {
  const { id } = await entry()

  const answer = await update(id, { startTime: '2026-06-01T09:30:00+02:00', endTime: '2026-06-01T10:15Z' })

  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.data, await read(id))
  const { startTime, endTime, durationMinutes, attributedCostCents, attributedBillableCents, isApproved } = answer.data
  assert.deepEqual([startTime, endTime, durationMinutes], ['2026-06-01T07:30:00.000Z', '2026-06-01T10:15:00.000Z', 165])
  assert.deepEqual([attributedCostCents, attributedBillableCents, isApproved], [3_300, 6_600, null])
  assert.deepEqual(
    [answer.data.editedAt, answer.data.updatedAt, answer.data.createdAt],
    [now.toISOString(), now.toISOString(), recorded],
  )
  const [event, ...more] = await eventsOf(id)
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.memberId, event.requestId], ['time_entry.updated', owner.id, answer.meta.requestId])
  assert.deepEqual(event.changes, {
    startTime: { from: finished.startTime, to: '2026-06-01T07:30:00.000Z' },
    endTime: { from: finished.endTime, to: '2026-06-01T10:15:00.000Z' },
    durationMinutes: { from: 120, to: 165 },
    attributedCostCents: { from: 2_000, to: 3_300 },
    attributedBillableCents: { from: 4_000, to: 6_600 },
    isApproved: { from: true, to: null },
  })
})

test('without view_analytics, nobody learns from correcting what time is charged at, changed or not', async () => {
  const { id } = await entry()
  const { key } = await keyFor(owner.id, { permissions: ['manage_shifts'] })
  for (const data of [{}, { endTime: '2026-06-01T10:30:00Z' }]) {
    const answer = await client('PATCH /time-entries/{id}', { id, key, body: { data } })
    assert.deepEqual([answer.data.attributedCostCents, answer.data.attributedBillableCents], [null, null])
  }
  assert.equal((await read(id)).attributedCostCents, 3_000)
})

test('what it was for, and notes, leave minutes and cents as they were recorded', async () => {
  const { id } = await entry()
  const { data } = await update(id, {
    departmentId: cleaning.id.toUpperCase(),
    propertyId: villa.id,
    taskId: task.id,
    notes: 'Two beds',
  })
  assert.deepEqual(data, await read(id))
  assert.deepEqual(
    [data.departmentId, data.departmentName, data.propertyName, data.taskTitle, data.notes],
    [cleaning.id, 'Cleaning', 'Villa', 'Turnover', 'Two beds'],
  )
  assert.deepEqual([data.durationMinutes, data.attributedCostCents, data.attributedBillableCents], [120, 2_000, 4_000])
  assert.deepEqual([data.isApproved, data.editedAt], [null, now.toISOString()])
})

test('null takes away what the entry was for, and its notes', async () => {
  const { id } = await entry({ departmentId: cleaning.id, propertyId: villa.id, taskId: task.id, notes: 'Two beds' })
  const { data } = await update(id, { departmentId: null, propertyId: null, taskId: null, notes: null })
  assert.deepEqual(
    [data.departmentId, data.propertyId, data.taskId, data.notes, data.departmentName],
    [null, null, null, null, null],
  )
})

test('work made an unpaid break, and back, is charged anew', async () => {
  const { id } = await entry()
  const seen = ({ data }: Answer) => [data.type, data.breakDefinitionId, data.attributedCostCents, data.attributedBillableCents]
  const unpaid = await update(id, { type: 'break', breakDefinitionId: lunch.id })
  assert.deepEqual(seen(unpaid), ['break', lunch.id, null, null])
  assert.deepEqual(seen(await update(id, { breakDefinitionId: coffee.id })), ['break', coffee.id, 2_400, 4_800])
  assert.deepEqual(seen(await update(id, { type: 'work' })), ['work', null, 2_400, 4_800])
})

test('an entry still running ends with an endTime, and is worth nothing while it runs', async () => {
  const running = {
    endTime: null,
    durationMinutes: null,
    attributedCostCents: null,
    attributedBillableCents: null,
    isApproved: null,
  }
  const { id } = await entry(running)
  const earlier = await update(id, { startTime: '2026-06-01T07:00:00Z' })
  assert.deepEqual(
    [earlier.data.endTime, earlier.data.durationMinutes, earlier.data.attributedCostCents, earlier.data.editedAt],
    [null, null, null, now.toISOString()],
  )
  const { data } = await update(id, { endTime: '2026-06-01T07:20:00Z' })
  assert.deepEqual([data.durationMinutes, data.attributedCostCents], [20, 400])
})

test('nothing to change, or what already is, changes nothing', async () => {
  const { id } = await entry({ departmentId: cleaning.id, notes: 'Two beds' })
  const before = await read(id)
  for (const data of [
    {},
    { startTime: '2026-06-01T10:00:00.0009+02:00', endTime: finished.endTime, type: 'work' },
    { departmentId: cleaning.id.toUpperCase(), notes: 'Two beds', taskId: null },
  ])
    assert.deepEqual((await update(id, data)).data, before)
  assert.deepEqual(await read(id), before)
  assert.deepEqual(await eventsOf(id), [])
})

test('an end before its start, and times before 1970 or more than a day ahead, are 422', async () => {
  const { id } = await entry()
  const cases: [data: object, field: string][] = [
    [{ startTime: '2026-06-01T10:00:00.001Z' }, 'endTime'],
    [{ endTime: '2026-06-01T07:59:59.999Z' }, 'endTime'],
    [{ startTime: '1969-12-31T23:59:59Z' }, 'startTime'],
    [{ endTime: '2026-06-03T12:00:01Z' }, 'endTime'],
  ]
  for (const [data, field] of cases) assert.deepEqual(refusal(await update(id, data)), [422, 'impossible_time', field])
})

test('an imported entry of another century can still be given notes', async () => {
  const { id } = await entry({ startTime: '1899-06-01T08:00:00Z', endTime: '1899-06-01T10:00:00Z' })
  assert.equal((await update(id, { notes: 'From the old ledger' })).status, 200)
})

test('a break names its kind, and work has none: 422', async () => {
  const work = await entry()
  const pause = await entry({ type: 'break', breakDefinitionId: coffee.id })
  const mismatch = [422, 'break_mismatch', 'breakDefinitionId']
  assert.deepEqual(refusal(await update(work.id, { type: 'break' })), mismatch)
  assert.deepEqual(refusal(await update(work.id, { breakDefinitionId: coffee.id })), mismatch)
  assert.deepEqual(refusal(await update(pause.id, { type: 'work', breakDefinitionId: lunch.id })), mismatch)
})

test("every wrong reference is named at once, also another organization's, and nothing is changed", async () => {
  const other = await organization(database)
  const theirs = {
    breakDefinitionId: (await other.make('break_definitions', { name: 'Tea', isPaid: true })).id,
    departmentId: (await other.make('departments', { name: 'Theirs' })).id,
    propertyId: (await other.make('properties', { name: 'Theirs' })).id,
    taskId: v7(),
  }
  const { id } = await entry()
  const answer = await update(id, { type: 'break', ...theirs })
  assert.equal(answer.error.code, 'invalid_reference')
  assert.deepEqual(answer.error.details.fields.map(({ field }: { field: string }) => field).sort(), Object.keys(theirs).sort())
  assert.equal((await read(id)).type, 'work')
})

test('two corrections at once both stand, one after the other', async () => {
  const { id } = await entry()
  await Promise.all([update(id, { notes: 'Late' }), update(id, { endTime: '2026-06-01T11:00:00Z' })])
  const { notes, durationMinutes } = await read(id)
  assert.deepEqual([notes, durationMinutes], ['Late', 180])
  assert.equal((await eventsOf(id)).length, 2)
})

test("another organization's entry does not exist, and one's own needs manage_shifts to correct", async () => {
  const other = await organization(database)
  const theirs = await other.make('time_entries', { ...finished, memberId: other.owner.id })
  assert.deepEqual(refusal(await update(theirs.id, { notes: 'Mine' })).slice(0, 2), [404, 'time_entry_not_found'])
  const { id } = await entry()
  const { key } = await keyFor(ines.id, { permissions: ['view_shifts', 'approve_time_entries'] })
  assert.equal((await client('PATCH /time-entries/{id}', { id, key, body: { data: {} } })).status, 403)
})

const broken: [body: unknown, ...issues: string[]][] = [
  [{}, 'body.data required'],
  [{ data: null }, 'body.data type'],
  [{ data: {}, notes: 'x' }, 'body.notes unknown'],
  [{ data: { startTime: null } }, 'body.data.startTime type'],
  [{ data: { startTime: '2026-06-01' } }, 'body.data.startTime format'],
  [{ data: { endTime: null } }, 'body.data.endTime type'],
  [{ data: { type: null } }, 'body.data.type enum'],
  [{ data: { breakDefinitionId: null } }, 'body.data.breakDefinitionId type'],
  [{ data: { departmentId: 'x' } }, 'body.data.departmentId format', 'body.data.departmentId type'],
  [{ data: { notes: 5 } }, 'body.data.notes type', 'body.data.notes type'],
  [{ data: { isApproved: true, memberId: ines.id } }, 'body.data.isApproved unknown', 'body.data.memberId unknown'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(0, 60)} is 400 and says why`, async () => {
    const answer = await client('PATCH /time-entries/{id}', { id: (await entry()).id, body })
    assert.equal(answer.status, 400)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(found.sort(), issues)
  })
