import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { type Answer, organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-06-02T12:00:00.500Z')
const { client, make, member, keyFor, database, owner } = await testServer({ clock: () => now })

const record = (body: unknown) => client('POST /cost-items', { body })
const refusal = ({ status, error }: Answer) => [status, error?.code]

const ines = await member({ firstName: 'Inês' })
const repairs = await make('departments', { name: 'Repairs', color: '#b3541e' })
const cleaning = await make('departments', { name: 'Cleaning' })
const villa = await make('properties', { name: 'Villa' })
const flat = await make('properties', { name: 'Flat' })
const task = await make('tasks', { name: 'Fix tap', departmentId: repairs.id, propertyId: villa.id })
const entry = await make('time_entries', {
  memberId: ines.id,
  startTime: '2026-06-01T08:00:00Z',
  departmentId: cleaning.id,
  taskId: task.id,
})

test('a cost reads as answered, its total being quantity times unit cost', async () => {
  const answer = await record({
    costType: 'material',
    memberId: ines.userId,
    description: 'Copper pipe 15 mm, "metre"',
    quantity: 2.5,
    unitCostCents: 721,
    billableTotalCents: 2_100,
    photos: ['https://receipts.example/1.jpg'],
    departmentId: repairs.id,
    propertyId: villa.id,
    taskId: task.id,
    incurredAt: '2026-06-01T10:00:00+02:00',
  })

  assert.equal(answer.status, 200, answer.text)
  const { id, ...rest } = answer.data
  assert.deepEqual(rest, {
    memberId: ines.id,
    timeEntryId: null,
    costType: 'material',
    description: 'Copper pipe 15 mm, "metre"',
    quantity: '2.5',
    unitCostCents: 721,
    flatCostCents: null,
    totalCostCents: 1_803, // 1802.5
    billableTotalCents: 2_100,
    isApproved: false,
    photos: ['https://receipts.example/1.jpg'],
    departmentId: repairs.id,
    departmentName: 'Repairs',
    departmentColor: '#b3541e',
    propertyId: villa.id,
    propertyName: 'Villa',
    taskId: task.id,
    taskTitle: 'Fix tap',
    incurredAt: '2026-06-01T08:00:00.000Z',
    editedAt: null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  })
  assert.deepEqual((await client('GET /cost-items/{id}', { id })).data, answer.data)
  assert.equal((await client('GET /tasks/{id}', { id: task.id })).data.totalCost, 1_803)
})

test('the event tells what was given, for whom, by whom and by which request', async () => {
  const answer = await record({ costType: 'expense', memberId: ines.userId, flatCostCents: 450 })
  const [event, ...more] = (await client('GET /events', { query: { entityId: answer.data.id } })).data
  assert.equal(more.length, 0)
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['cost_item.created', 'cost_item', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, { costType: { to: 'expense' }, memberId: { to: ines.id }, flatCostCents: { to: 450 } })
})

test('a cost without a member is nobody’s, incurred now', async () => {
  const answer = await record({ costType: 'other', flatCostCents: 9_900 })
  const { memberId, timeEntryId, incurredAt, photos, totalCostCents } = answer.data
  assert.deepEqual([memberId, timeEntryId, incurredAt, photos, totalCostCents], [null, null, now.toISOString(), null, 9_900])
  const [event] = (await client('GET /events', { query: { entityId: answer.data.id } })).data
  assert.ok(!('memberId' in event.changes))
})

test('a cost of a time entry is its member’s, at its start, for what the entry was for, else for what its task is', async () => {
  const { data } = await record({ costType: 'material', flatCostCents: 5, timeEntryId: entry.id })
  assert.deepEqual([data.memberId, data.timeEntryId, data.incurredAt], [ines.id, entry.id, '2026-06-01T08:00:00.000Z'])
  assert.deepEqual([data.departmentId, data.propertyId, data.taskId], [cleaning.id, villa.id, task.id])
  const given = await record({
    costType: 'material',
    flatCostCents: 5,
    timeEntryId: entry.id,
    propertyId: flat.id,
    memberId: ines.id,
  })
  assert.deepEqual([given.data.departmentId, given.data.propertyId], [cleaning.id, flat.id])
  const ofTask = await record({ costType: 'material', flatCostCents: 5, taskId: task.id })
  assert.deepEqual([ofTask.data.departmentId, ofTask.data.propertyId], [repairs.id, villa.id])
})

test('a time entry of another member is 422', async () => {
  const answer = await record({ costType: 'material', flatCostCents: 5, timeEntryId: entry.id, memberId: owner.id })
  assert.deepEqual([...refusal(answer), answer.error.details.field], [422, 'time_entry_of_another_member', 'memberId'])
})

test('the total is what was said outright, else quantity times unit cost, else the flat cost; a refund is negative', async () => {
  const cases: [body: object, total: number][] = [
    [{ flatCostCents: 1_250 }, 1_250],
    [{ flatCostCents: -1_890 }, -1_890],
    [{ flatCostCents: 0 }, 0],
    [{ quantity: 3, flatCostCents: 1_000 }, 1_000],
    [{ quantity: 3, unitCostCents: 499 }, 1_497],
    [{ quantity: -1, unitCostCents: 499 }, -499],
    [{ quantity: 2, unitCostCents: -499 }, -998],
    [{ quantity: 0, unitCostCents: 499 }, 0],
    [{ quantity: 0.1, unitCostCents: 5 }, 1],
    [{ quantity: -0.1, unitCostCents: 5 }, -1],
    [{ quantity: 1e-7, unitCostCents: 1_000_000_000 }, 100],
    [{ quantity: 1_000_000, unitCostCents: 1_000_000_000 }, 1e15],
    [{ totalCostCents: 7 }, 7],
    [{ totalCostCents: -7, quantity: 3, unitCostCents: 499, flatCostCents: 5 }, -7],
    [{ totalCostCents: 7, unitCostCents: 499 }, 7],
  ]
  for (const [body, total] of cases) {
    const answer = await record({ costType: 'expense', ...body })
    assert.equal(answer.data?.totalCostCents, total, `${JSON.stringify(body)} ${answer.text}`)
  }
})

test('a product is rounded to the cent from the decimal number that was sent, never from its binary neighbour', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: -50_000, max: 50_000 }),
      async (digits, places, unitCostCents) => {
        const quantity = Number(`${digits}e-${places}`)
        const { data } = await record({ costType: 'material', quantity, unitCostCents })
        const [product, scale] = [BigInt(digits) * BigInt(unitCostCents), 10n ** BigInt(places)]
        const size = ((product < 0n ? -product : product) * 2n + scale) / (2n * scale)
        assert.equal(data.totalCostCents, Number(product < 0n ? -size : size))
        assert.equal(Number(data.quantity), quantity)
      },
    ),
    { numRuns: 120 },
  )
})

test('where nothing, or more than one thing, could be meant, the amount is unclear: 422', async () => {
  for (const body of [
    {},
    { quantity: 3 },
    { unitCostCents: 499 },
    { unitCostCents: 499, flatCostCents: 5 },
    { quantity: 3, unitCostCents: 499, flatCostCents: 5 },
    { billableTotalCents: 100 },
  ])
    assert.deepEqual(refusal(await record({ costType: 'other', ...body })), [422, 'amount_unclear'])
})

test('a time before 1970 or more than a day ahead is 422', async () => {
  for (const incurredAt of ['1969-12-31T23:59:59.999Z', '2026-06-03T12:00:00.501Z', '9999-12-31T23:59:59-14:00']) {
    const answer = await record({ costType: 'other', flatCostCents: 1, incurredAt })
    assert.deepEqual([...refusal(answer), answer.error.details.field], [422, 'impossible_time', 'incurredAt'])
  }
})

test("every wrong reference is named at once, also another organization's", async () => {
  const other = await organization(database)
  const theirs = {
    memberId: other.owner.userId,
    timeEntryId: (await other.make('time_entries', { memberId: other.owner.id, startTime: now })).id,
    departmentId: (await other.make('departments', { name: 'Theirs' })).id,
    propertyId: (await other.make('properties', { name: 'Theirs' })).id,
    taskId: v7(),
  }
  const answer = await record({ costType: 'other', flatCostCents: 1, ...theirs })
  assert.deepEqual(refusal(answer), [422, 'invalid_reference'])
  assert.deepEqual(answer.error.details.fields.map(({ field }: { field: string }) => field).sort(), Object.keys(theirs).sort())
})

test('a member without modify_tasks is refused', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['view_analytics', 'manage_shifts'] })
  assert.equal((await client('POST /cost-items', { key, body: { costType: 'other', flatCostCents: 1 } })).status, 403)
})

const valid = { costType: 'expense', flatCostCents: 1 }
const broken: [body: Record<string, unknown>, ...issues: string[]][] = [
  [{}, 'costType required'],
  [{ ...valid, costType: 'bribe' }, 'costType enum'],
  [{ ...valid, memberId: null }, 'memberId type'],
  [{ ...valid, timeEntryId: 'x' }, 'timeEntryId format'],
  [{ ...valid, description: 'x'.repeat(20_001) }, 'description max_length'],
  [{ ...valid, quantity: '3' }, 'quantity type'],
  [{ ...valid, quantity: 1_000_000.5 }, 'quantity maximum'],
  [{ ...valid, unitCostCents: 1.5 }, 'unitCostCents type'],
  [{ ...valid, flatCostCents: -1_000_000_001 }, 'flatCostCents minimum'],
  [{ ...valid, totalCostCents: 1e15 }, 'totalCostCents maximum'],
  [{ ...valid, billableTotalCents: '1' }, 'billableTotalCents type'],
  [{ ...valid, photos: ['ftp://receipts.example/1'] }, 'photos.0 format'],
  [{ ...valid, photos: null }, 'photos type'],
  [{ ...valid, photos: Array.from({ length: 201 }, () => 'https://receipts.example/1') }, 'photos max_items'],
  [{ ...valid, departmentId: 'x' }, 'departmentId format'],
  [{ ...valid, propertyId: 1 }, 'propertyId type'],
  [{ ...valid, taskId: '' }, 'taskId format'],
  [{ ...valid, incurredAt: '2026-06-01' }, 'incurredAt format'],
  [{ ...valid, isApproved: true, kind: 'cost_only' }, 'isApproved unknown', 'kind unknown'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(0, 80)} is 400 and says why`, async () => {
    const answer = await record(body)
    assert.equal(answer.status, 400, answer.text)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(
      found.sort(),
      issues.map((issue) => `body.${issue}`),
    )
  })
