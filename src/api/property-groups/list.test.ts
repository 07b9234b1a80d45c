import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

type Query = NonNullable<Call['query']>

const { client, make, database } = await testServer()

const coast = await make('property_groups', { name: 'Costa Açores', createdAt: new Date('2026-01-02T00:00:00Z') })
const hills = await make('property_groups', { name: 'Hills 50%', createdAt: new Date('2026-01-01T00:00:00Z') })
await make('properties', { propertyGroupId: hills.id })
const other = await organization(database)
const theirs = await other.make('property_groups', { name: 'Costa' })
await other.make('properties', { propertyGroupId: theirs.id })

const list = (query: Query = {}) => client('GET /property-groups', { query })

test('property groups are listed oldest first, each as it is read by id', async () => {
  const answer = await list()

  assert.deepEqual(ids(answer), [hills.id, coast.id])
  assert.deepEqual(
    answer.data.map((row: { propertyCount: number }) => row.propertyCount),
    [1, 0],
  )
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 2 })
  for (const row of answer.data) assert.deepEqual((await client('GET /property-groups/{id}', { id: row.id })).data, row)
})

test('each filter keeps what it names', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{ ids: coast.id }, [coast]],
    [{ ids: [coast.id, hills.id, v7()] }, [hills, coast]],
    [{ ids: [theirs.id, 'no uuid'] }, []],
    [{ nameContains: 'acores' }, [coast]],
    [{ nameContains: '0%' }, [hills]],
    [{ nameContains: 'C_sta' }, []],
    [{ nameContains: '' }, [hills, coast]],
    [{ nameContains: 'hills', ids: coast.id }, []],
    [{ limit: 1, offset: 1 }, [coast]],
  ]
  for (const [query, expected] of cases) {
    const found = ids(await list(query))
    assert.deepEqual(
      found,
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
  }
})

test('a page size outside 1 to 100 is refused', async () => {
  for (const limit of [0, 101, 1.5]) assert.equal((await list({ limit })).status, 400)
})
