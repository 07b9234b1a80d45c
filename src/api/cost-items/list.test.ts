import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

const { client, make, member, keyFor, owner, database } = await testServer()

const [cleaning, garden] = [await make('departments', { name: 'Cleaning' }), await make('departments', { name: 'Garden' })]
const [villa, flat] = [await make('properties', { name: 'Villa' }), await make('properties', { name: 'Flat' })]
const task = await make('tasks', { name: 'Turnover', departmentId: cleaning.id })
const ines = await member({ firstName: 'Inês' })
const taro = await member({ firstName: '太郎' })
const entry = await make('time_entries', { memberId: ines.id, startTime: '2026-06-01T08:00:00Z' })

const at = (second: number) => new Date(Date.UTC(2026, 5, 2, 0, 0, second))
const soap = await make('cost_items', {
  costType: 'material',
  memberId: ines.id,
  timeEntryId: entry.id,
  totalCostCents: 380,
  isApproved: true,
  departmentId: cleaning.id,
  propertyId: villa.id,
  taskId: task.id,
  incurredAt: '2026-06-01T08:00:00Z',
  createdAt: at(1),
})
// Recorded later, for earlier: the order is that of recording.
const taxi = await make('cost_items', {
  costType: 'expense',
  memberId: taro.id,
  totalCostCents: 1_200,
  isApproved: false,
  departmentId: garden.id,
  propertyId: flat.id,
  incurredAt: '2026-05-31T22:00:00Z',
  createdAt: at(2),
})
const refund = await make('cost_items', {
  costType: 'material',
  totalCostCents: -380,
  incurredAt: '2026-06-01T09:00:00Z',
  createdAt: at(3),
})
const name = new Map(Object.entries({ soap, taxi, refund }).map(([key, { id }]) => [id, key]))

const other = await organization(database)
await other.make('cost_items', { costType: 'other', totalCostCents: 1, incurredAt: '2026-06-01T08:00:00Z' })

async function found(query: Call['query']): Promise<string[]> {
  const answer = await client('GET /cost-items', { query })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.meta.pagination.total, answer.data.length)
  return ids(answer).map((id) => name.get(id)!)
}

test('costs come in the order in which they were recorded, each as it reads by id, in pages with the true total', async () => {
  assert.deepEqual(await found(''), ['soap', 'taxi', 'refund'])
  for (const row of (await client('GET /cost-items')).data)
    assert.deepEqual((await client('GET /cost-items/{id}', { id: row.id })).data, row)
  const page = await client('GET /cost-items', { query: { limit: 1, offset: 1 } })
  assert.deepEqual([ids(page), page.meta.pagination], [[taxi.id], { limit: 1, offset: 1, total: 3 }])
})

const cases: [Call['query'], string[]][] = [
  [{ costTypes: 'material' }, ['soap', 'refund']],
  [{ costTypes: ['expense', 'other'] }, ['taxi']],
  [{ departmentIds: [cleaning.id, 'x'] }, ['soap']],
  [{ ids: [refund.id, taxi.id, v7()] }, ['taxi', 'refund']],
  [{ incurredFrom: '2026-06-01T08:00:00Z' }, ['soap', 'refund']],
  [{ incurredBefore: '2026-06-01T00:00:00+02:00' }, []],
  [{ incurredFrom: '2026-06-01T00:00+02:00', incurredBefore: '2026-06-01T09:00:00Z' }, ['soap', 'taxi']],
  [{ isApproved: true }, ['soap']],
  [{ isApproved: false }, ['taxi', 'refund']],
  [{ memberIds: ines.userId }, ['soap']],
  [{ memberIds: [ines.id, taro.id] }, ['soap', 'taxi']],
  [{ memberIds: [other.owner.id, 'null'] }, []],
  [{ propertyIds: flat.id }, ['taxi']],
  [{ taskIds: task.id }, ['soap']],
  [{ timeEntryIds: entry.id }, ['soap']],
  [{ timeEntryIds: v7() }, []],
  [{ costTypes: 'material', isApproved: false }, ['refund']],
]
for (const [query, expected] of cases)
  test(`${JSON.stringify(query).slice(0, 80)} finds ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await found(query), expected)
  })

const broken: [string, string[]][] = [
  ['limit=0&offset=-1', ['query.limit minimum', 'query.offset minimum']],
  ['costTypes=labor', ['query.costTypes.0 enum']],
  ['isApproved=yes', ['query.isApproved type']],
  ['incurredFrom=today', ['query.incurredFrom format']],
  [Array.from({ length: 201 }, () => 'timeEntryIds=a').join('&'), ['query.timeEntryIds max_items']],
  ['costType=other', ['query.costType unknown']],
]
for (const [query, expected] of broken)
  test(`${query.slice(0, 60)} is 400 and says why`, async () => {
    const answer = await client('GET /cost-items', { query })
    assert.equal(answer.status, 400)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(found.sort(), expected)
  })

test('a member without view_analytics is refused', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['modify_tasks', 'approve_time_entries'] })
  assert.equal((await client('GET /cost-items', { key })).status, 403)
})
