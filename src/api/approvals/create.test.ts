import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-06-02T12:00:00.500Z')
const { client, make, keyFor, database, owner } = await testServer({ clock: () => now })

const decide = (body: unknown) => client('POST /approvals', { body })
const refusal = ({ status, error }: Answer) => [status, error?.code]
const recorded = '2026-06-01T18:00:00.000Z'
const entry = (isApproved: boolean | null = null) =>
  make('time_entries', {
    memberId: owner.id,
    startTime: '2026-06-01T08:00:00Z',
    endTime: '2026-06-01T08:30:00Z',
    durationMinutes: 30,
    isApproved,
    updatedAt: recorded,
  })
const cost = (isApproved: boolean | null = null) =>
  make('cost_items', { costType: 'expense', totalCostCents: 5, incurredAt: recorded, isApproved, updatedAt: recorded })
const readEntry = async (id: string) => (await client('GET /time-entries/{id}', { id })).data
const readCost = async (id: string) => (await client('GET /cost-items/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data

test('a page of entries and costs is approved in one request, and reads so afterwards', async () => {
  const entries = [await entry(), await entry(false), await entry()]
  const costs = [await cost(), await cost(false)]
  const [timeEntryIds, costItemIds] = [entries.map(({ id }) => id), costs.map(({ id }) => id)]

  const answer = await decide({ timeEntryIds: timeEntryIds.toReversed(), costItemIds, isApproved: true })

  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.data, { timeEntryIds, costItemIds, isApproved: true })
  for (const row of [...(await Promise.all(timeEntryIds.map(readEntry))), ...(await Promise.all(costItemIds.map(readCost)))])
    assert.deepEqual([row.isApproved, row.updatedAt, row.editedAt], [true, now.toISOString(), null])
  const [event, ...more] = await eventsOf(timeEntryIds[1]!)
  assert.equal(more.length, 0)
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['time_entry.approved', 'time_entry', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, { isApproved: { from: false, to: true } })
  const [costEvent] = await eventsOf(costItemIds[0]!)
  assert.deepEqual([costEvent.type, costEvent.changes], ['cost_item.approved', { isApproved: { from: false, to: true } }])
})

test('what is decided so already stays as it is and is not named in the answer', async () => {
  const [approved, pending, paid] = [await entry(true), await entry(), await cost(true)]
  const { data } = await decide({ timeEntryIds: [approved.id, pending.id], costItemIds: [paid.id], isApproved: true })
  assert.deepEqual(data, { timeEntryIds: [pending.id], costItemIds: [], isApproved: true })
  assert.equal((await readEntry(approved.id)).updatedAt, recorded)
  assert.equal((await readCost(paid.id)).updatedAt, recorded)
  assert.deepEqual(await eventsOf(approved.id), [])
})

test('deciding against takes an approval back and is pending still', async () => {
  const [approved, undecided, paid, unpaid] = [await entry(true), await entry(), await cost(true), await cost()]
  const ids = { timeEntryIds: [approved.id, undecided.id], costItemIds: [paid.id, unpaid.id] }
  const { data } = await decide({ ...ids, isApproved: false })
  assert.deepEqual(data, { timeEntryIds: ids.timeEntryIds, costItemIds: [paid.id], isApproved: false })
  assert.deepEqual([(await readEntry(undecided.id)).isApproved, (await readCost(paid.id)).isApproved], [false, false])
  const { data: pending } = await client('GET /time-entries', { query: { isApproved: false, ids: ids.timeEntryIds } })
  assert.equal(pending.length, 2)
})

test('a running entry cannot be approved, and then nothing is', async () => {
  const [running, finished] = [await make('time_entries', { memberId: owner.id, startTime: recorded }), await entry()]
  const answer = await decide({ timeEntryIds: [finished.id, running.id], isApproved: true })
  assert.deepEqual([...refusal(answer), answer.error.details.timeEntryIds], [422, 'time_entry_running', [running.id]])
  assert.equal((await readEntry(finished.id)).isApproved, null)
})

test("every unknown id is named at once, also another organization's, and then nothing is approved", async () => {
  const other = await organization(database)
  const theirs = await other.make('cost_items', { costType: 'other', totalCostCents: 5, incurredAt: recorded })
  const finished = await entry()
  const answer = await decide({ timeEntryIds: [finished.id, v7(), theirs.id], costItemIds: [theirs.id], isApproved: true })
  assert.deepEqual(refusal(answer), [422, 'invalid_reference'])
  assert.deepEqual(
    answer.error.details.fields.map(({ field }: { field: string }) => field),
    ['timeEntryIds.1', 'timeEntryIds.2', 'costItemIds.0'],
  )
  assert.equal((await readEntry(finished.id)).isApproved, null)
  assert.equal((await client('GET /cost-items/{id}', { id: theirs.id, key: other.key })).data.isApproved, false)
})

test('ids in capitals, ids given twice, and none at all are fine', async () => {
  const { id } = await entry()
  assert.deepEqual((await decide({ timeEntryIds: [id, id.toUpperCase()], isApproved: true })).data.timeEntryIds, [id])
  assert.deepEqual((await decide({ isApproved: true })).data, { timeEntryIds: [], costItemIds: [], isApproved: true })
})

test('two who approve the same pages at once, in other orders, approve each entry once', async () => {
  const entries = await Promise.all(Array.from({ length: 20 }, () => entry()))
  const costs = await Promise.all(Array.from({ length: 20 }, () => cost()))
  const [timeEntryIds, costItemIds] = [entries.map(({ id }) => id), costs.map(({ id }) => id)]
  const answers = await Promise.all([
    decide({ timeEntryIds, costItemIds, isApproved: true }),
    decide({ timeEntryIds: timeEntryIds.toReversed(), costItemIds: costItemIds.toReversed(), isApproved: true }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(answers.flatMap(({ data }) => data.timeEntryIds).sort(), timeEntryIds.toSorted())
  assert.deepEqual(answers.flatMap(({ data }) => data.costItemIds).sort(), costItemIds.toSorted())
})

test('what is corrected after it was approved is pending again', async () => {
  const { id } = await entry()
  await decide({ timeEntryIds: [id], isApproved: true })
  await client('PATCH /time-entries/{id}', { id, body: { data: { notes: 'Half an hour more' } } })
  assert.equal((await readEntry(id)).isApproved, null)
})

test('a member without approve_time_entries is refused', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['manage_shifts', 'view_analytics'] })
  assert.equal((await client('POST /approvals', { key, body: { isApproved: true } })).status, 403)
})

const broken: [body: unknown, ...issues: string[]][] = [
  [{}, 'body.isApproved required'],
  [{ isApproved: null }, 'body.isApproved type'],
  [{ isApproved: 'true' }, 'body.isApproved type'],
  [{ isApproved: true, timeEntryIds: v7() }, 'body.timeEntryIds type'],
  [{ isApproved: true, timeEntryIds: ['x'] }, 'body.timeEntryIds.0 format'],
  [{ isApproved: true, costItemIds: Array.from({ length: 201 }, () => v7()) }, 'body.costItemIds max_items'],
  [{ isApproved: true, memberIds: [] }, 'body.memberIds unknown'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(0, 60)} is 400 and says why`, async () => {
    const answer = await decide(body)
    assert.equal(answer.status, 400)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(found, issues)
  })
