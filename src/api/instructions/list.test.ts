import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

type Query = NonNullable<Call['query']>

const { client, make, keyFor, owner, database } = await testServer()

const coast = await make('property_groups', { name: 'Coast' })
const aurora = await make('properties', { name: 'Aurora', propertyGroupId: coast.id, codeDisplay: '4711' })
const boreal = await make('properties', { name: 'Boreal' })
const lock = await make('devices', { name: 'Front door', type: 'lock' })

// The oldest step of Aurora comes last in its guide.
const leave = await make('instructions', {
  propertyId: aurora.id,
  type: 'check_out',
  title: 'Leaving {{property.name}}',
  sortOrder: 1,
  createdAt: '2026-01-01T00:00:01Z',
})
const enter = await make('instructions', {
  propertyId: aurora.id,
  deviceId: lock.id,
  type: 'access',
  title: '{{device.name}} of {{property.name}}',
  description: 'Code {{property.codeDisplay}}, near the {{propertyGroup.name}}',
  fixedCode: '0815',
  sortOrder: 0,
  createdAt: '2026-01-01T00:00:02Z',
})
const beach = await make('instructions', {
  propertyGroupId: coast.id,
  type: 'area',
  title: 'The {{propertyGroup.name}}, not {{property.name}}',
  sortOrder: 0,
  createdAt: '2026-01-01T00:00:04Z',
})
const heating = await make('instructions', {
  propertyId: boreal.id,
  type: 'our own type',
  title: 'Heating in {{property.name}}',
  sortOrder: 0,
  createdAt: '2026-01-01T00:00:03Z',
})

const other = await organization(database)
const theirHouse = await other.make('properties', { name: 'Theirs' })
await other.make('instructions', { propertyId: theirHouse.id, type: 'access', sortOrder: 0 })

const list = (query: Query = {}) => client('GET /instructions', { query })

test('steps are listed oldest first and resolved each for its own scope, as they are read by id', async () => {
  const answer = await list()

  assert.deepEqual(ids(answer), [leave.id, enter.id, heating.id, beach.id])
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 4 })
  assert.deepEqual(
    answer.data.map((row: { title: string }) => row.title),
    ['Leaving Aurora', 'Front door of Aurora', 'Heating in Boreal', 'The Coast, not '],
  )
  assert.equal(answer.data[1].description, 'Code 4711, near the Coast')
  for (const row of answer.data) assert.deepEqual((await client('GET /instructions/{id}', { id: row.id })).data, row)
})

test('the steps of one property, or of one group, come in the order of the guide', async () => {
  const parking = await make('instructions', { propertyGroupId: coast.id, sortOrder: 1, createdAt: '2026-01-01T00:00:00Z' })

  assert.deepEqual(ids(await list({ propertyIds: aurora.id })), [enter.id, leave.id])
  assert.deepEqual(ids(await list({ propertyIds: aurora.id, limit: 1, offset: 1 })), [leave.id])
  assert.deepEqual(ids(await list({ propertyGroupIds: coast.id })), [beach.id, parking.id])
  assert.deepEqual(ids(await list({ propertyIds: [aurora.id, boreal.id] })), [leave.id, enter.id, heating.id])
})

test('each filter keeps what it names', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{ propertyIds: boreal.id }, [heating]],
    [{ propertyIds: [theirHouse.id, 'no uuid'] }, []],
    [{ propertyGroupIds: v7() }, []],
    [{ propertyIds: aurora.id, propertyGroupIds: coast.id }, []],
    [{ deviceIds: lock.id }, [enter]],
    [{ deviceIds: [lock.id, v7()] }, [enter]],
    [{ types: 'our own type' }, [heating]],
    [{ types: ['access', 'area'] }, [enter, beach]],
    [{ types: 'a%' }, []],
    [{ propertyIds: aurora.id, types: 'check_out' }, [leave]],
    [{ propertyIds: boreal.id, deviceIds: lock.id }, []],
  ]
  for (const [query, expected] of cases) {
    const answer = await list(query)
    assert.deepEqual(
      ids(answer),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
    assert.equal(answer.meta.pagination.total, expected.length)
  }
})

test('a list hides what the caller may not see, in fields and in texts', async () => {
  const rest = permissions.filter((permission) => permission !== 'private_code' && permission !== 'view_lock_code')
  const { key } = await keyFor(owner.id, { permissions: rest })

  const { data } = await client('GET /instructions', { key, query: { deviceIds: lock.id } })

  assert.equal(data[0].fixedCode, null)
  assert.equal(data[0].description, 'Code , near the Coast')
})

test('bounds: what lies outside is refused by name', async () => {
  const cases: [Query, string][] = [
    [{ limit: 101 }, 'query.limit'],
    [{ propertyIds: Array.from({ length: 201 }, () => v7()) }, 'query.propertyIds'],
    [{ types: Array.from({ length: 201 }, () => 'access') }, 'query.types'],
    [{ types: 'x'.repeat(501) }, 'query.types.0'],
  ]
  for (const [query, path] of cases) {
    const answer = await list(query)
    assert.equal(answer.status, 400)
    assert.equal(answer.error.details.issues[0].path, path)
  }
})
