import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { type Answer, organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-06-02T12:00:00.500Z')
const { client, make, member, keyFor, database, owner, key: ownersKey } = await testServer({ clock: () => now })

const record = (body: unknown, key = ownersKey) => client('POST /time-entries', { body, key })
const read = async (id: string) => (await client('GET /time-entries/{id}', { id })).data
const refusal = ({ status, error }: Answer) => [status, error?.code, error?.details?.field]
const from = '2026-06-01T08:00:00.000Z'
const until = '2026-06-01T10:30:00.000Z'
const shift = { startTime: from, endTime: until }

const ines = await member({ firstName: 'Inês', hourlyCostCents: 1_525, hourlyBillableCents: 2_999 })
const unpaid = await member({ firstName: 'Νίκος' })
const cleaning = await make('departments', { name: 'Limpieza "A"', color: '#2f7d6b' })
const villa = await make('properties', { name: 'Casa Água' })
const task = await make('tasks', { name: 'Turnover', departmentId: cleaning.id, propertyId: villa.id })
const coffee = await make('break_definitions', { name: 'Coffee', isPaid: true })
const lunch = await make('break_definitions', { name: 'Lunch', isPaid: false })

test('recorded work reads as answered, in whole minutes and charged at the hourly rates of the member', async () => {
  const answer = await record({
    ...shift,
    memberId: ines.id,
    type: 'work',
    departmentId: cleaning.id,
    propertyId: villa.id,
    taskId: task.id,
    notes: 'Two "extra" beds\n',
  })

  assert.equal(answer.status, 200, answer.text)
  const { id, ...rest } = answer.data
  assert.deepEqual(rest, {
    memberId: ines.id,
    type: 'work',
    startTime: from,
    endTime: until,
    durationMinutes: 150,
    attributedCostCents: 3_813, // 1525 × 2.5 = 3812.5
    attributedBillableCents: 7_498, // 2999 × 2.5 = 7497.5
    isApproved: null,
    breakDefinitionId: null,
    departmentId: cleaning.id,
    departmentName: 'Limpieza "A"',
    departmentColor: '#2f7d6b',
    propertyId: villa.id,
    propertyName: 'Casa Água',
    taskId: task.id,
    taskTitle: 'Turnover',
    notes: 'Two "extra" beds\n',
    isAutoClockedOut: false,
    editedAt: null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  })
  assert.deepEqual(await read(id), answer.data)
})

test('the event tells what was given, for whom, by whom and by which request', async () => {
  const answer = await record({ ...shift, memberId: ines.userId, notes: 'Late' })
  const [event, ...more] = (await client('GET /events', { query: { entityId: answer.data.id } })).data
  assert.equal(more.length, 0)
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['time_entry.created', 'time_entry', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, {
    startTime: { to: from },
    endTime: { to: until },
    memberId: { to: ines.id },
    notes: { to: 'Late' },
  })
})

test('member id and user id name the same member; without either, the entry is the caller’s own', async () => {
  for (const memberId of [ines.id, ines.userId, ines.userId.toUpperCase()])
    assert.equal((await record({ ...shift, memberId })).data.memberId, ines.id)
  const { key } = await keyFor(ines.id)
  assert.equal((await record(shift, key)).data.memberId, ines.id)
})

test('paid breaks are charged, unpaid ones are not; the work of a member without rates is not either', async () => {
  const cents = async (body: object) => {
    const { data } = await record({ ...shift, ...body })
    return [data.type, data.durationMinutes, data.attributedCostCents, data.attributedBillableCents]
  }
  const pause = { type: 'break', memberId: ines.id }
  assert.deepEqual(await cents({ ...pause, breakDefinitionId: coffee.id }), ['break', 150, 3_813, 7_498])
  assert.deepEqual(await cents({ ...pause, breakDefinitionId: lunch.id }), ['break', 150, null, null])
  assert.deepEqual(await cents({ memberId: unpaid.id }), ['work', 150, null, null])
})

test('without view_analytics, nobody learns from recording what time is charged at', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['manage_shifts'] })
  const { data } = await record({ ...shift, memberId: ines.id }, key)
  assert.deepEqual([data.durationMinutes, data.attributedCostCents, data.attributedBillableCents], [150, null, null])
  assert.deepEqual(await read(data.id), { ...data, attributedCostCents: 3_813, attributedBillableCents: 7_498 })
})

test('a task brings its department and property along where none is given', async () => {
  const { data } = await record({ ...shift, taskId: task.id })
  assert.deepEqual([data.departmentId, data.propertyId], [cleaning.id, villa.id])
  const elsewhere = await make('properties', { name: 'Flat' })
  const given = await record({ ...shift, taskId: task.id, propertyId: elsewhere.id })
  assert.deepEqual([given.data.departmentId, given.data.propertyId], [cleaning.id, elsewhere.id])
})

test('minutes and cents are rounded half up, whatever the times and rates', async () => {
  const people = await Promise.all(
    [0, 1, 1_300, 1_525, 99_999, 1_000_000_000].map((rate) => member({ hourlyCostCents: rate, hourlyBillableCents: rate })),
  )
  const rates = new Map(people.map(({ id, hourlyCostCents }) => [id, hourlyCostCents as unknown as number]))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...people),
      fc.integer({ min: 0, max: 40 * 24 * 60 }).map((half) => half * 30_000),
      fc.integer({ min: -1, max: 1 }),
      async ({ id: memberId }, length, millisecond) => {
        const milliseconds = Math.max(0, length + millisecond)
        const startTime = new Date(Date.parse(until) - milliseconds).toISOString()
        const { data } = await record({ memberId, startTime, endTime: until })
        const minutes = Math.floor((milliseconds + 30_000) / 60_000)
        const twiceSixtieths = 2n * BigInt(rates.get(memberId)!) * BigInt(minutes)
        const cents = Number((twiceSixtieths + 60n) / 120n)
        assert.deepEqual([data.durationMinutes, data.attributedCostCents, data.attributedBillableCents], [minutes, cents, cents])
      },
    ),
    { numRuns: 120 },
  )
})

test('times keep their instant whatever the offset, and milliseconds at the finest', async () => {
  const { data } = await record({ startTime: '2026-06-01T10:00+02:00', endTime: '2026-06-01T08:00:00.1239Z' })
  assert.deepEqual([data.startTime, data.endTime, data.durationMinutes], [from, '2026-06-01T08:00:00.123Z', 0])
})

test('an end before its start, and times before 1970 or more than a day ahead, are 422', async () => {
  const cases: [startTime: string, endTime: string, field: string][] = [
    [until, from, 'endTime'],
    ['1969-12-31T23:59:59.999Z', from, 'startTime'],
    ['0001-01-01T00:00:00+14:00', from, 'startTime'],
    [from, '2026-06-03T12:00:00.501Z', 'endTime'],
    [from, '9999-12-31T23:59:59-14:00', 'endTime'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z', 'startTime'],
  ]
  for (const [startTime, endTime, field] of cases)
    assert.deepEqual(refusal(await record({ startTime, endTime })), [422, 'impossible_time', field])
  for (const [startTime, endTime] of [
    [from, from],
    ['1970-01-01T00:00:00Z', '2026-06-03T12:00:00.500Z'],
  ])
    assert.equal((await record({ startTime, endTime })).status, 200)
})

test('a break names its kind, and work has none: 422', async () => {
  for (const body of [{ type: 'break' }, { type: 'work', breakDefinitionId: coffee.id }, { breakDefinitionId: coffee.id }])
    assert.deepEqual(refusal(await record({ ...shift, ...body })), [422, 'break_mismatch', 'breakDefinitionId'])
})

test("every wrong reference is named at once, also another organization's", async () => {
  const other = await organization(database)
  const theirs = {
    memberId: other.owner.id,
    breakDefinitionId: (await other.make('break_definitions', { name: 'Tea', isPaid: true })).id,
    departmentId: (await other.make('departments', { name: 'Theirs' })).id,
    propertyId: (await other.make('properties', { name: 'Theirs' })).id,
    taskId: v7(),
  }
  const answer = await record({ ...shift, type: 'break', ...theirs })
  assert.equal(answer.error.code, 'invalid_reference')
  assert.deepEqual(answer.error.details.fields.map(({ field }: { field: string }) => field).sort(), Object.keys(theirs).sort())
})

test('work of a suspended or invited member can still be recorded', async () => {
  for (const columns of [{ deactivatedAt: now, permissions: [] }, { joinedAt: null }])
    assert.equal((await record({ ...shift, memberId: (await member(columns)).id })).status, 200)
})

test('without manage_shifts nothing is recorded, not for oneself either', async () => {
  const { key } = await keyFor(ines.id, { permissions: ['view_shifts', 'modify_tasks'] })
  assert.equal((await record(shift, key)).status, 403)
})

const broken: [body: Record<string, unknown>, ...issues: string[]][] = [
  [{}, 'endTime required', 'startTime required'],
  [{ ...shift, startTime: '2026-06-01' }, 'startTime format'],
  [{ ...shift, startTime: '2026-02-30T10:00:00Z' }, 'startTime format'],
  [{ ...shift, endTime: '2026-06-01T10:00:60Z' }, 'endTime format'],
  [{ ...shift, endTime: null }, 'endTime type'],
  [{ ...shift, endTime: 1_780_000_000 }, 'endTime type'],
  [{ ...shift, memberId: 'me' }, 'memberId format'],
  [{ ...shift, type: 'holiday' }, 'type enum'],
  [{ ...shift, breakDefinitionId: 'lunch' }, 'breakDefinitionId format'],
  [{ ...shift, departmentId: null }, 'departmentId type'],
  [{ ...shift, propertyId: '' }, 'propertyId format'],
  [{ ...shift, taskId: 7 }, 'taskId type'],
  [{ ...shift, notes: 'x'.repeat(20_001) }, 'notes max_length'],
  [{ ...shift, notes: 'a\0' }, 'notes pattern'],
  [{ ...shift, durationMinutes: 5, isApproved: true }, 'durationMinutes unknown', 'isApproved unknown'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(-70)} is 400 and says why`, async () => {
    const answer = await record(body)
    assert.equal(answer.status, 400, answer.text)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(
      found.sort(),
      issues.map((issue) => `body.${issue}`),
    )
  })
