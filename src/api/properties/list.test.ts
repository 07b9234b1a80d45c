import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

type Query = NonNullable<Call['query']>

const { client, make, keyFor, owner, database } = await testServer()

const coast = await make('property_groups', { name: 'Coast' })
const hills = await make('property_groups', { name: 'Hills' })

const aurora = await make('properties', {
  name: 'Aurora',
  nickname: 'Haus Süd',
  propertyGroupId: coast.id,
  readinessStatus: 'ready',
  cleaningStatus: 'clean',
  codeDisplay: '4711',
  isDisabled: false,
  createdAt: new Date('2026-01-01T00:00:01Z'),
})
const boreal = await make('properties', {
  name: 'Boreal',
  propertyGroupId: coast.id,
  readinessStatus: 'not_ready',
  cleaningStatus: 'dirty',
  inspectionStatus: 'required',
  maintenanceStatus: 'blocked',
  isDisabled: true,
  createdAt: new Date('2026-01-01T00:00:02Z'),
})
const cassia = await make('properties', {
  nickname: 'Cássia 100% _new\\',
  propertyGroupId: hills.id,
  inspectionStatus: 'passed',
  maintenanceStatus: 'our own word',
  createdAt: new Date('2026-01-01T00:00:03Z'),
})

const other = await organization(database)
const theirGroup = await other.make('property_groups', { name: 'Coast' })
const theirs = await other.make('properties', { name: 'Aurora', propertyGroupId: theirGroup.id, cleaningStatus: 'clean' })

const list = (query: Query = {}) => client('GET /properties', { query })

test('properties are listed oldest first, each as it is read by id', async () => {
  const answer = await list()

  assert.deepEqual(ids(answer), [aurora.id, boreal.id, cassia.id])
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 3 })
  for (const row of answer.data) assert.deepEqual((await client('GET /properties/{id}', { id: row.id })).data, row)
})

test('each filter keeps what it names', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{ ids: boreal.id }, [boreal]],
    [{ ids: [cassia.id, aurora.id, v7()] }, [aurora, cassia]],
    [{ ids: theirs.id }, []],
    [{ ids: 'no uuid' }, []],
    [{ propertyGroupIds: coast.id }, [aurora, boreal]],
    [{ propertyGroupIds: [coast.id, hills.id] }, [aurora, boreal, cassia]],
    [{ propertyGroupIds: theirGroup.id }, []],
    [{ readinessStatuses: 'ready' }, [aurora]],
    [{ readinessStatuses: ['ready', 'not_ready'] }, [aurora, boreal]],
    [{ cleaningStatuses: 'dirty' }, [boreal]],
    [{ inspectionStatuses: ['passed', 'required'] }, [boreal, cassia]],
    [{ maintenanceStatuses: 'our own word' }, [cassia]],
    [{ maintenanceStatuses: 'a word nobody uses' }, []],
    [{ isDisabled: true }, [boreal]],
    [{ isDisabled: false }, [aurora, cassia]],
    [{ propertyGroupIds: coast.id, cleaningStatuses: 'clean', isDisabled: false, nameContains: 'aur' }, [aurora]],
    [{ propertyGroupIds: hills.id, cleaningStatuses: 'clean' }, []],
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

test('nameContains looks into name and nickname, whatever the case and accents', async () => {
  const found = async (nameContains: string) => ids(await list({ nameContains }))
  assert.deepEqual(await found('aUR'), [aurora.id])
  assert.deepEqual(await found('sud'), [aurora.id])
  assert.deepEqual(await found('CÁSSIA'), [cassia.id])
  assert.deepEqual(await found('zzz'), [])
  assert.deepEqual(await found(''), [aurora.id, boreal.id, cassia.id])
})

test('percent, underscore and backslash in nameContains stand for themselves', async () => {
  const found = async (nameContains: string) => ids(await list({ nameContains }))
  assert.deepEqual(await found('0%'), [cassia.id])
  assert.deepEqual(await found('%a%'), [])
  assert.deepEqual(await found('_'), [cassia.id])
  assert.deepEqual(await found('A_rora'), [])
  assert.deepEqual(await found('\\'), [cassia.id])
})

test('pages follow each other, and one beyond the end is empty with the true total', async () => {
  const second = await list({ limit: 2, offset: 2 })
  assert.deepEqual(ids(second), [cassia.id])
  assert.deepEqual(second.meta.pagination, { limit: 2, offset: 2, total: 3 })
  const beyond = await list({ offset: Number.MAX_SAFE_INTEGER })
  assert.deepEqual(beyond.data, [])
  assert.equal(beyond.meta.pagination.total, 3)
})

test('codes are null in a list too without private_code', async () => {
  const { key } = await keyFor(owner.id, { permissions: permissions.filter((permission) => permission !== 'private_code') })
  const seen = async (own?: string) =>
    (await client('GET /properties', own ? { key: own } : {})).data.map((row: { codeDisplay: string | null }) => row.codeDisplay)
  assert.deepEqual(await seen(), ['4711', null, null])
  assert.deepEqual(await seen(key), [null, null, null])
})

test('bounds: what lies outside is refused by name', async () => {
  const cases: [Query, string][] = [
    [{ limit: 0 }, 'query.limit'],
    [{ limit: 101 }, 'query.limit'],
    [{ offset: -1 }, 'query.offset'],
    ['offset=9007199254740992', 'query.offset'],
    [{ ids: Array.from({ length: 201 }, () => v7()) }, 'query.ids'],
    [{ readinessStatuses: Array.from({ length: 201 }, () => 'ready') }, 'query.readinessStatuses'],
    [{ nameContains: 'x'.repeat(501) }, 'query.nameContains'],
    [{ isDisabled: 'yes' }, 'query.isDisabled'],
    ['nameContains=%00', 'query.nameContains'],
    ['isDisabled=true&isDisabled=false', 'query.isDisabled'],
  ]
  for (const [query, path] of cases) {
    const answer = await list(query)
    assert.equal(answer.status, 400, JSON.stringify(query))
    assert.deepEqual([...new Set(answer.error.details.issues.map((issue: { path: string }) => issue.path))], [path])
  }
  assert.equal((await list({ limit: 100, ids: Array.from({ length: 200 }, () => v7()) })).status, 200)
})
