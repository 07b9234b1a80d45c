import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

const { client, make, database, keyFor, owner } = await testServer()

const coast = await make('property_groups', { name: 'Coast' })
const villa = await make('properties', { name: 'Villa Água', propertyGroupId: coast.id })
const flat = await make('properties', { name: 'Flat' })
const account = await make('integration_accounts', { provider: 'seam' })

const lock = await make('devices', {
  name: 'Front Door Lock',
  type: 'lock',
  ecosystem: 'august',
  provider: 'seam',
  online: true,
  batteryLevel: 20,
  integrationAccountId: account.id,
})
const hub = await make('devices', {
  name: 'Hüb 100%_a\\b',
  type: 'hub',
  ecosystem: 'zigbee',
  provider: 'zigbee2mqtt',
  online: false,
  batteryLevel: 21,
})
const sensor = await make('devices', {
  name: 'Θερμόμετρο',
  type: 'sensor',
  ecosystem: 'zwave',
  provider: 'manual',
  isArchived: true,
})
const nameless = await make('devices', { batteryLevel: 0, online: false })
const all = [lock, hub, sensor, nameless]
const name = new Map(all.map(({ id }, index) => [id, ['lock', 'hub', 'sensor', 'nameless'][index]!]))

before(async () => {
  await make('device_properties', { deviceId: lock.id, propertyId: villa.id })
  await make('device_properties', { deviceId: lock.id, propertyId: flat.id })
  await make('device_properties', { deviceId: hub.id, propertyId: flat.id })
  const foreign = await organization(database)
  await foreign.make('devices', { name: 'Front Door Lock', type: 'lock' })
})

async function found(query: Call['query']): Promise<string[]> {
  const answer = await client('GET /devices', { query })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.meta.pagination.total, answer.data.length)
  return ids(answer).map((id) => name.get(id)!)
}

test('devices come oldest first, in pages, with the true total', async () => {
  assert.deepEqual(await found(''), ['lock', 'hub', 'sensor', 'nameless'])
  const page = await client('GET /devices', { query: { limit: 2, offset: 1 } })
  assert.deepEqual(ids(page), [hub.id, sensor.id])
  assert.deepEqual(page.meta.pagination, { limit: 2, offset: 1, total: 4 })
  const beyond = await client('GET /devices', { query: { offset: Number.MAX_SAFE_INTEGER } })
  assert.deepEqual([beyond.status, beyond.data, beyond.meta.pagination.total], [200, [], 4])
  assert.equal((await client('GET /devices', { query: { nameContains: '' } })).meta.pagination.total, 4)
})

test('every field of the contract is present in every row', async () => {
  const fields = [
    'id',
    'name',
    'type',
    'ecosystem',
    'provider',
    'online',
    'batteryLevel',
    'batteryUpdatedAt',
    'healthCheck',
    'deviceState',
    'isArchived',
    'linkedProperties',
    'createdAt',
  ]
  for (const row of (await client('GET /devices')).data) assert.deepEqual(Object.keys(row), fields)
})

const cases: [Call['query'], string[]][] = [
  [{ ecosystem: 'zigbee' }, ['hub']],
  [{ flagReasons: 'low_battery' }, ['lock', 'nameless']],
  [{ flagReasons: 'offline' }, ['hub', 'nameless']],
  [{ integrationAccountId: account.id }, ['lock']],
  [{ integrationAccountId: villa.id }, []],
  [{ isArchived: true }, ['sensor']],
  [{ isArchived: false }, ['lock', 'hub', 'nameless']],
  [{ lowBattery: true }, ['lock', 'nameless']],
  [{ lowBattery: false }, ['hub', 'sensor']],
  [{ nameContains: 'DOOR' }, ['lock']],
  [{ nameContains: 'hub' }, ['hub']],
  [{ nameContains: 'ΘΕΡΜΟ' }, ['sensor']],
  [{ nameContains: '%' }, ['hub']],
  [{ nameContains: '_' }, ['hub']],
  [{ nameContains: '\\' }, ['hub']],
  [{ nameContains: "'" }, []],
  [{ nameContains: '' }, ['lock', 'hub', 'sensor', 'nameless']],
  [{ onlineStatuses: 'online' }, ['lock']],
  [{ onlineStatuses: 'offline' }, ['hub', 'nameless']],
  [{ onlineStatuses: ['online', 'offline'] }, ['lock', 'hub', 'nameless']],
  [{ propertyGroupIds: coast.id }, ['lock']],
  [{ propertyGroupIds: ['no-uuid', '{}'] }, []],
  [{ propertyIds: flat.id }, ['lock', 'hub']],
  [{ propertyIds: [villa.id, 'no-uuid'] }, ['lock']],
  [{ providers: ['manual', 'zigbee2mqtt'] }, ['hub', 'sensor']],
  [{ types: 'lock' }, ['lock']],
  [{ types: ['lock', 'hub'] }, ['lock', 'hub']],
  ['types[]=lock&types[]=sensor', ['lock', 'sensor']],
  [{ types: ['lock', 'hub'], onlineStatuses: 'offline' }, ['hub']],
  [{ isArchived: false, lowBattery: true, flagReasons: 'offline' }, ['nameless']],
]
for (const [query, expected] of cases) {
  test(`${typeof query === 'string' ? query : JSON.stringify(query)} finds ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await found(query), expected)
  })
}

const broken: [string, string[]][] = [
  ['limit=0', ['query.limit minimum']],
  ['limit=101', ['query.limit maximum']],
  ['limit=1.5', ['query.limit type']],
  ['limit=abc', ['query.limit type']],
  ['limit=1e1', ['query.limit type']],
  ['limit=0x10', ['query.limit type']],
  ['limit=%205', ['query.limit type']],
  ['limit=', ['query.limit type']],
  ['limit=5&limit=5', ['query.limit repeated']],
  ['offset=-1', ['query.offset minimum']],
  ['offset=9007199254740992', ['query.offset maximum']],
  [`offset=${'9'.repeat(400)}`, ['query.offset type']],
  ['flagReasons=offline&flagReasons=low_battery', ['query.flagReasons max_items']],
  ['flagReasons=rude', ['query.flagReasons.0 enum']],
  ['types=lock,hub', ['query.types.0 enum']],
  ['types=lock&types=Lock', ['query.types.1 enum']],
  ['ecosystem=betamax', ['query.ecosystem enum']],
  ['providers=acme', ['query.providers.0 enum']],
  ['onlineStatuses=maybe', ['query.onlineStatuses.0 enum']],
  ['integrationAccountId=urn:uuid:0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10', ['query.integrationAccountId format']],
  ['isArchived=1', ['query.isArchived type']],
  ['lowBattery=TRUE', ['query.lowBattery type']],
  [`nameContains=${'x'.repeat(501)}`, ['query.nameContains max_length']],
  ['nameContains=a%00b', ['query.nameContains pattern']],
  ['nameContains=%FF', ['query.nameContains encoding']],
  ['nameContains=50%', ['query.nameContains encoding']],
  [Array.from({ length: 201 }, () => 'propertyIds=a').join('&'), ['query.propertyIds max_items']],
  ['surprise=1', ['query.surprise unknown']],
  ['__proto__=1', ['query.__proto__ unknown']],
  [
    'limit=0&offset=-1&types=x&surprise',
    ['query.limit minimum', 'query.offset minimum', 'query.surprise unknown', 'query.types.0 enum'],
  ],
]
for (const [query, expected] of broken) {
  test(`${query.slice(0, 60)} is 400 and says why`, async () => {
    const answer = await client('GET /devices', { query })
    assert.equal(answer.status, 400)
    assert.equal(answer.error.type, 'validation_error')
    assert.deepEqual(
      answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort(),
      expected,
    )
  })
}

test('the bounds themselves are fine', async () => {
  for (const query of [
    'limit=1',
    'limit=100',
    'offset=9007199254740991',
    Array.from({ length: 200 }, () => 'propertyIds=a').join('&'),
  ]) {
    assert.equal((await client('GET /devices', { query })).status, 200)
  }
})

test('a device of another organization is not among them, and needs view_devices', async () => {
  assert.deepEqual(await found({ nameContains: 'front door' }), ['lock'])
  const { key } = await keyFor(owner.id, { permissions: ['view_tasks'] })
  assert.equal((await client('GET /devices', { key })).status, 403)
})
