import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'

const { client, make, member } = await testServer()
const bea = await member({ firstName: 'Bea', lastName: 'Brito' })
const date = '2026-03-29'

const read = async (memberId: string, query: object = {}) => {
  const answer = await client('GET /costs/day', { query: { date, memberId, ...query } })
  assert.equal(answer.status, 200, answer.text)
  return answer.data
}

test('the day of a member has every time entry and each cost that hangs on none, with the names of what they were for', async () => {
  const department = await make('departments', { name: 'Cleans', color: '#2f7d6b' })
  const property = await make('properties', { name: 'Casa Azul' })
  const task = await make('tasks', { name: 'Departure', departmentId: department.id })
  const context = { departmentId: department.id, propertyId: property.id, taskId: task.id }
  const shown = {
    ...context,
    departmentName: 'Cleans',
    departmentColor: '#2f7d6b',
    propertyName: 'Casa Azul',
    taskTitle: 'Departure',
  }
  const pause = await make('break_definitions', { name: 'Lunch', isPaid: false })
  const times = { startTime: new Date('2026-03-29T07:00:00Z'), endTime: new Date('2026-03-29T08:30:00Z'), durationMinutes: 90 }
  const entry = await make('time_entries', {
    ...context,
    ...times,
    memberId: bea.id,
    attributedCostCents: 3_000_000_000,
    attributedBillableCents: 0,
    notes: 'a "note"',
    isApproved: false,
  })
  const running = await make('time_entries', {
    memberId: bea.id,
    type: 'break',
    breakDefinitionId: pause.id,
    startTime: new Date('2026-03-29T09:00:00Z'),
  })
  const incurredAt = new Date('2026-03-29T10:00:00Z')
  const cost = await make('cost_items', {
    ...context,
    memberId: bea.id,
    costType: 'material',
    description: 'Soap',
    quantity: 2.5,
    unitCostCents: 40,
    totalCostCents: -100,
    incurredAt,
    photos: ['https://images.example/soap.jpg'],
  })
  await make('cost_items', { memberId: bea.id, timeEntryId: entry.id, costType: 'material', totalCostCents: 1, incurredAt })

  for (const id of [bea.id, bea.userId, bea.id.toUpperCase()]) {
    const data = await read(id)
    assert.deepEqual(data.entries, [
      {
        kind: 'time_entry',
        timeEntryId: entry.id,
        type: 'work',
        startTime: '2026-03-29T07:00:00.000Z',
        endTime: '2026-03-29T08:30:00.000Z',
        durationMinutes: 90,
        attributedCostCents: 3_000_000_000,
        attributedBillableCents: 0,
        isApproved: false,
        breakDefinitionId: null,
        ...shown,
        notes: 'a "note"',
      },
      {
        kind: 'time_entry',
        timeEntryId: running.id,
        type: 'break',
        startTime: '2026-03-29T09:00:00.000Z',
        endTime: null,
        durationMinutes: null,
        attributedCostCents: null,
        attributedBillableCents: null,
        isApproved: null,
        breakDefinitionId: pause.id,
        departmentId: null,
        departmentName: null,
        departmentColor: null,
        propertyId: null,
        propertyName: null,
        taskId: null,
        taskTitle: null,
        notes: null,
      },
    ])
    assert.deepEqual(data.orphanCosts, [
      {
        kind: 'cost_only',
        costId: cost.id,
        costType: 'material',
        description: 'Soap',
        quantity: '2.5',
        unitCostCents: 40,
        flatCostCents: null,
        totalCostCents: -100,
        billableTotalCents: null,
        isApproved: false,
        photos: ['https://images.example/soap.jpg'],
        ...shown,
      },
    ])
  }
})

test('the day of clocks going forward has 23 hours, the one of clocks going back 25', async () => {
  const someone = await member()
  const at = (startTime: string) => make('time_entries', { memberId: someone.id, startTime })
  // Madrid: from 2026-03-28T23:00Z for 23 hours; from 2026-10-24T22:00Z for 25.
  for (const time of ['2026-03-28T22:59:59.999Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00Z'])
    await at(time)
  for (const time of ['2026-10-24T21:59:59.999Z', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z', '2026-10-25T23:00:00Z'])
    await at(time)
  const starts = async (day: string) =>
    (await read(someone.id, { date: day })).entries.map((entry: { startTime: string }) => entry.startTime)
  assert.deepEqual(await starts('2026-03-29'), ['2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'])
  assert.deepEqual(await starts('2026-10-25'), ['2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'])
})

test('null is the bucket of the costs without a member, and has no entries', async () => {
  const { id } = await make('cost_items', { costType: 'other', totalCostCents: 7, incurredAt: new Date('2026-03-29T10:00:00Z') })
  const data = await read('null')
  assert.deepEqual([data.entries, data.orphanCosts.map((cost: { costId: string }) => cost.costId)], [[], [id]])
})

test('a member nobody knows, and a day that a zone left out, are empty', async () => {
  assert.deepEqual(await read(v7()), { entries: [], orphanCosts: [] })
  const someone = await member()
  await make('time_entries', { memberId: someone.id, startTime: '2011-12-30T10:00:00Z' })
  assert.deepEqual((await read(someone.id, { date: '2011-12-30', tz: 'Pacific/Apia' })).entries, [])
  assert.equal((await read(someone.id, { date: '2011-12-31', tz: 'Pacific/Apia' })).entries.length, 1)
})

test('400: no date, no member, neither uuid nor null, no such day, an unknown zone', async () => {
  for (const [query, path] of [
    [{ memberId: 'null' }, 'query.date'],
    [{ date }, 'query.memberId'],
    [{ date, memberId: 'NULL' }, 'query.memberId'],
    [{ date, memberId: '' }, 'query.memberId'],
    [{ date: '2026-02-30', memberId: 'null' }, 'query.date'],
    [{ date, memberId: 'null', tz: 'Mars/Olympus' }, 'query.tz'],
  ] as const) {
    const answer = await client('GET /costs/day', { query })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(
      answer.error.details.issues.map((issue: { path: string }) => issue.path),
      [path],
    )
  }
})

test('CSV has entries and costs in one table, a cell of many lines in quotes', async () => {
  const someone = await member()
  await make('time_entries', { memberId: someone.id, startTime: '2026-03-29T08:00:00Z', notes: '+49 30 555\nsecond line' })
  const photos = ['https://images.example/1.jpg', 'https://images.example/2.jpg']
  await make('cost_items', {
    memberId: someone.id,
    costType: 'other',
    totalCostCents: 5,
    incurredAt: '2026-03-29T08:00:00Z',
    photos,
  })
  const answer = await client('GET /costs/day', { query: { date, memberId: someone.id }, headers: { accept: 'text/csv' } })
  const [head, entry, cost] = answer.text.split('\r\n')
  assert.match(head!, /^\ufeffkind,timeEntryId,type,.*,notes,costId,costType,.*photos$/)
  assert.match(entry!, /^time_entry,.*,"'\+49 30 555\nsecond line",,/)
  assert.match(cost!, /^cost_only,.*,5,,"https:\/\/images\.example\/1\.jpg\nhttps:\/\/images\.example\/2\.jpg"$/)
})
