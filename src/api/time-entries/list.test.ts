import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

const { client, make, member, keyFor, owner, database } = await testServer()

const [cleaning, garden] = [await make('departments', { name: 'Cleaning' }), await make('departments', { name: 'Garden' })]
const [villa, flat] = [await make('properties', { name: 'Villa' }), await make('properties', { name: 'Flat' })]
const task = await make('tasks', { name: 'Turnover', departmentId: cleaning.id })
const ines = await member({ firstName: 'Inês' })
const taro = await member({ firstName: '太郎', deactivatedAt: new Date() })

const done = (hour: number) => ({
  startTime: `2026-06-01T0${hour}:00:00.000Z`,
  endTime: `2026-06-01T0${hour}:30:00.000Z`,
  durationMinutes: 30,
})
const at = (second: number) => new Date(Date.UTC(2026, 5, 2, 0, 0, second))
const approved = await make('time_entries', {
  memberId: ines.id,
  ...done(8),
  isApproved: true,
  departmentId: cleaning.id,
  propertyId: villa.id,
  taskId: task.id,
  createdAt: at(1),
})
// Recorded later, for earlier: the order is that of recording.
const refused = await make('time_entries', {
  memberId: taro.id,
  ...done(6),
  isApproved: false,
  departmentId: garden.id,
  propertyId: flat.id,
  createdAt: at(2),
})
const undecided = await make('time_entries', { memberId: ines.id, ...done(9), propertyId: villa.id, createdAt: at(3) })
const running = await make('time_entries', { memberId: taro.id, startTime: '2026-06-01T09:30:00Z', createdAt: at(4) })
const all = { approved, refused, undecided, running }
const name = new Map(Object.entries(all).map(([key, { id }]) => [id, key]))

const other = await organization(database)
const theirs = await other.make('time_entries', { memberId: other.owner.id, ...done(8) })

async function found(query: Call['query']): Promise<string[]> {
  const answer = await client('GET /time-entries', { query })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.meta.pagination.total, answer.data.length)
  return ids(answer).map((id) => name.get(id)!)
}

test('entries come in the order in which they were recorded, each as it reads by id, in pages with the true total', async () => {
  assert.deepEqual(await found(''), ['approved', 'refused', 'undecided', 'running'])
  for (const row of (await client('GET /time-entries')).data)
    assert.deepEqual((await client('GET /time-entries/{id}', { id: row.id })).data, row)
  const page = await client('GET /time-entries', { query: { limit: 2, offset: 1 } })
  assert.deepEqual(ids(page), [refused.id, undecided.id])
  assert.deepEqual(page.meta.pagination, { limit: 2, offset: 1, total: 4 })
  const beyond = await client('GET /time-entries', { query: { offset: Number.MAX_SAFE_INTEGER, isRunning: false } })
  assert.deepEqual([beyond.data, beyond.meta.pagination.total], [[], 3])
})

const cases: [Call['query'], string[]][] = [
  [{ departmentIds: cleaning.id }, ['approved']],
  [{ departmentIds: [cleaning.id, garden.id, 'x'] }, ['approved', 'refused']],
  [{ ids: [undecided.id, approved.id, theirs.id, v7()] }, ['approved', 'undecided']],
  [{ ids: 'no-uuid' }, []],
  [{ isApproved: true }, ['approved']],
  [{ isApproved: false }, ['refused', 'undecided', 'running']],
  [{ isApproved: false, isRunning: false }, ['refused', 'undecided']],
  [{ isRunning: true }, ['running']],
  [{ isRunning: false }, ['approved', 'refused', 'undecided']],
  [{ memberIds: ines.id }, ['approved', 'undecided']],
  [{ memberIds: taro.userId }, ['refused', 'running']],
  [{ memberIds: [ines.userId, taro.id] }, ['approved', 'refused', 'undecided', 'running']],
  [{ memberIds: [other.owner.id, v7(), 'no-uuid'] }, []],
  [{ propertyIds: villa.id }, ['approved', 'undecided']],
  [{ propertyIds: [flat.id, villa.id], memberIds: taro.id }, ['refused']],
  [{ startFrom: '2026-06-01T09:00:00Z' }, ['undecided', 'running']],
  [{ startFrom: '2026-06-01T11:00:00.001+02:00' }, ['running']],
  [{ startBefore: '2026-06-01T08:00:00Z' }, ['refused']],
  [{ startFrom: '2026-06-01T08:00Z', startBefore: '2026-06-01T09:30:00Z' }, ['approved', 'undecided']],
  [{ taskIds: task.id }, ['approved']],
  ['taskIds[]=no-uuid', []],
]
for (const [query, expected] of cases)
  test(`${JSON.stringify(query).slice(0, 80)} finds ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await found(query), expected)
  })

const broken: [string, string[]][] = [
  ['limit=0&offset=-1', ['query.limit minimum', 'query.offset minimum']],
  ['limit=101', ['query.limit maximum']],
  ['isApproved=null', ['query.isApproved type']],
  ['isRunning=1', ['query.isRunning type']],
  ['startFrom=2026-06-01', ['query.startFrom format']],
  ['startBefore=2026-02-30T00:00:00Z', ['query.startBefore format']],
  [Array.from({ length: 201 }, () => 'memberIds=a').join('&'), ['query.memberIds max_items']],
  ['memberId=x', ['query.memberId unknown']],
]
for (const [query, expected] of broken)
  test(`${query.slice(0, 60)} is 400 and says why`, async () => {
    const answer = await client('GET /time-entries', { query })
    assert.equal(answer.status, 400)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(found.sort(), expected)
  })

test('a member without view_analytics is refused', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['view_shifts', 'manage_shifts'] })
  assert.equal((await client('GET /time-entries', { key })).status, 403)
})
