import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { doubleProvider, snapshot } from '../../../test/double-provider.ts'
import { clientOf, server, testServer } from '../../../test/helper.ts'
import { type ProviderDevice, ProviderError } from '../../providers/provider.ts'

const { providers, script } = doubleProvider()
const env = { STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64'), STEWARD_PROVIDER_TIMEOUT_MS: '400' }
const { client, make, key } = await testServer({ providers, env })

const listed = (externalId: string, name: string | null = externalId, rest: Partial<ProviderDevice> = {}): ProviderDevice => ({
  externalId,
  name,
  type: 'lock',
  ecosystem: 'august',
  snapshot: snapshot('locked'),
  ...rest,
})
const lists = (...devices: ProviderDevice[]) => {
  script.list = async function* () {
    yield* devices
  }
}
const account = async () => (await client('POST /integrations', { body: { provider: 'seam' } })).data.id as string
const sync = (id: string) => client('POST /integrations/{id}/sync', { id })
const devicesOf = async (id: string) =>
  (await client('GET /devices', { query: { integrationAccountId: id } })).data as Record<string, unknown>[]
const namesOf = async (id: string) => (await devicesOf(id)).map(({ name, isArchived }) => [name, isArchived])

test('new devices come in unlinked with what was seen of them, and a second sync changes nothing', async () => {
  const id = await account()
  const climate = { temperatureC: 20, humidityPercent: 41 }
  lists(
    listed('a', 'Front', { snapshot: snapshot('locked', { battery: { percent: 80, reportedAt: null }, climate }) }),
    listed('b', null),
  )
  const first = await sync(id)
  assert.deepEqual([first.status, first.data], [200, { seen: 2, created: 2, updated: 0, archived: 0, restored: 0 }])
  const [front, nameless] = await devicesOf(id)
  const { name, type, ecosystem, provider, online, batteryLevel, linkedProperties } = front!
  assert.deepEqual(
    [name, type, ecosystem, provider, online, batteryLevel, linkedProperties],
    ['Front', 'lock', 'august', 'seam', true, 80, []],
  )
  assert.deepEqual((front!.deviceState as { climate: object }).climate, climate)
  assert.equal(nameless!.name, null)
  assert.deepEqual((await sync(id)).data, { seen: 2, created: 0, updated: 0, archived: 0, restored: 0 })
  assert.equal((await client('GET /devices')).meta.pagination.total, 2)
  const { data } = await client('GET /integrations/{id}', { id })
  assert.ok(data.lastSyncedAt && data.deviceCount === 2)
  const events = await client('GET /events', { query: { entityId: id, types: 'integration.synced' } })
  assert.deepEqual(events.data[0].changes.created, [front!.id, nameless!.id])
  assert.equal((await client('GET /search', { query: { query: 'fornt' } })).data.items[0].entityId, front!.id)
})

test("the provider's new name is taken until a person gives one", async () => {
  const id = await account()
  lists(listed('a', 'LOCK-1'))
  await sync(id)
  lists(listed('a', 'LOCK-2'))
  assert.equal((await sync(id)).data.updated, 1)
  const device = (await devicesOf(id))[0]!
  assert.equal(device.name, 'LOCK-2')
  await client('PATCH /devices/{id}', { id: device.id as string, body: { data: { name: 'Front door' } } })
  lists(listed('a', 'LOCK-3'))
  assert.equal((await sync(id)).data.updated, 0)
  assert.deepEqual(await namesOf(id), [['Front door', false]])
})

test('vanished devices are archived and come back; one that a person archived stays archived', async () => {
  const id = await account()
  lists(listed('a'), listed('b'))
  await sync(id)
  lists(listed('b'))
  assert.equal((await sync(id)).data.archived, 1)
  assert.equal((await sync(id)).data.archived, 0)
  assert.deepEqual(await namesOf(id), [['a', true], ['b', false]]) // biome-ignore format: pairs
  lists(listed('a'), listed('b'))
  assert.equal((await sync(id)).data.restored, 1)

  const b = (await devicesOf(id)).find(({ name }) => name === 'b')!
  await client('PATCH /devices/{id}', { id: b.id as string, body: { data: { isArchived: true } } })
  lists(listed('a'))
  await sync(id)
  lists(listed('a'), listed('b'))
  assert.equal((await sync(id)).data.restored, 0)
  assert.deepEqual(await namesOf(id), [['a', false], ['b', true]]) // biome-ignore format: pairs
})

test("each device's own events tell what a sync did to it", async () => {
  const id = await account()
  const eventsOf = async (entityId: string) =>
    (await client('GET /events', { query: { entityId } })).data.map(
      ({ type, changes }: { type: string; changes: object }) => [type, changes], // biome-ignore format: pairs
    )
  for (const names of [['Front'], ['Gate'], ['Gate'], [], ['Gate'], []]) {
    lists(...names.map((name) => listed('a', name)))
    await sync(id)
  }
  const device = (await devicesOf(id))[0]!.id as string
  const [gone, back] = [{ isArchived: { from: false, to: true } }, { isArchived: { from: true, to: false } }]
  assert.deepEqual(await eventsOf(device), [
    [
      'device.created',
      { name: { to: 'Front' }, type: { to: 'lock' }, externalId: { to: 'a' }, integrationAccountId: { to: id } },
    ],
    ['device.updated', { name: { from: 'Front', to: 'Gate' } }],
    ['device.updated', gone],
    ['device.updated', back],
    ['device.updated', gone],
  ])
  lists(listed('a', 'Gate'))
  await sync(id)
  await client('DELETE /integrations/{id}', { id })
  assert.deepEqual((await eventsOf(device)).at(-1), ['device.updated', { ...gone, integrationAccountId: { from: id, to: null } }])
})

test('thousands of devices take no more statements than a few, and each is told of', async () => {
  let statements = 0
  const trace = () => void statements++
  const { app } = server({ providers, env: { ...env, STEWARD_PROVIDER_TIMEOUT_MS: '60000' }, trace })
  const traced = clientOf(app, key)
  const id = await account()
  const count = 6_000
  const some = (length: number, name: string) => Array.from({ length }, (_, n) => listed(`d-${n}`, `${name} ${n}`))
  for (const [devices, result] of [
    [some(count, 'Door'), { created: count }],
    [some(600, 'Gate'), { updated: 600, archived: count - 600 }],
    [some(1200, 'Gate'), { updated: 600, restored: 600 }],
  ] as const) {
    lists(...devices)
    statements = 0
    const { data } = await traced('POST /integrations/{id}/sync', { id })
    assert.deepEqual(data, { seen: devices.length, created: 0, updated: 0, archived: 0, restored: 0, ...result })
    assert.ok(statements <= 50, `${statements} statements`)
  }
  const { meta, data } = await client('GET /devices', { query: { integrationAccountId: id, isArchived: false, limit: 1 } })
  assert.deepEqual([meta.pagination.total, data[0].deviceState.lock.state], [1200, 'locked'])
  assert.equal((await client('GET /events', { query: { entityId: data[0].id } })).data.length, 2)
})

test('what a person decides of a vanished device stands until the provider lists it again', async () => {
  const id = await account()
  lists(listed('a'), listed('b'))
  await sync(id)
  const [a, b] = (await devicesOf(id)).map((device) => device.id as string)
  const decide = (device: string, isArchived: boolean) =>
    client('PATCH /devices/{id}', { id: device, body: { data: { isArchived } } })
  const archived = async () => (await devicesOf(id)).map(({ isArchived }) => isArchived)
  await decide(b!, true)
  lists()
  assert.equal((await sync(id)).data.archived, 1)
  assert.deepEqual(await archived(), [true, true])

  // Taken back, put away and taken back again; the other was archived by a person before it vanished.
  for (const isArchived of [false, true, false]) await decide(a!, isArchived)
  await decide(b!, false)
  assert.equal((await sync(id)).data.archived, 0)
  assert.equal((await sync(id)).data.archived, 0)
  assert.deepEqual(await archived(), [false, false])

  lists(listed('a'), listed('b'))
  assert.equal((await sync(id)).data.restored, 0)
  lists(listed('a'))
  assert.equal((await sync(id)).data.archived, 1)
  assert.deepEqual(await archived(), [false, true], 'listed again, it may vanish again')
})

test('a list that breaks off, or takes too long, is 503 and changes nothing', async () => {
  const id = await account()
  lists(listed('a'), listed('b'))
  await sync(id)
  const before = await devicesOf(id)
  script.list = async function* () {
    yield listed('c')
    throw new ProviderError('bad_response', 'half a page')
  }
  const broken = await sync(id)
  assert.deepEqual([broken.status, broken.error.code, broken.error.details.reason], [503, 'provider_unavailable', 'bad_response'])
  assert.ok(broken.headers['retry-after'])
  script.list = async function* () {
    yield listed('c')
    await new Promise(() => {})
  }
  const late = await sync(id)
  assert.deepEqual([late.status, late.error.details.reason], [503, 'timeout'])
  assert.deepEqual(await devicesOf(id), before)
})

test('twenty syncs at once bring each device in once, and the count stays true', async () => {
  const id = await account()
  lists(...Array.from({ length: 30 }, (_, n) => listed(`d-${n}`)))
  const total = async () => (await client('GET /devices')).meta.pagination.total
  const before = await total()
  const answers = await Promise.all(Array.from({ length: 20 }, () => sync(id)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(
    answers.reduce((sum, { data }) => sum + data.created, 0),
    30,
  )
  assert.equal((await devicesOf(id)).length, 30)
  assert.equal((await total()) - before, 30)
})

test('a list that was begun earlier never undoes one that was begun later', async () => {
  const id = await account()
  let go = () => {}
  script.list = async function* () {
    yield listed('old')
    await new Promise<void>((resolve) => {
      go = resolve
    })
  }
  const slow = sync(id)
  while (String(go) === '() => {}') await new Promise((resolve) => setTimeout(resolve, 5))
  lists(listed('new'))
  assert.equal((await sync(id)).data.created, 1)
  go()
  assert.deepEqual((await slow).data, { seen: 1, created: 0, updated: 0, archived: 0, restored: 0 })
  assert.deepEqual(await namesOf(id), [['new', false]])
})

test('an account that cannot be connected is 422', async () => {
  const manual = await make('integration_accounts', { provider: 'manual' })
  const answer = await sync(manual.id)
  assert.deepEqual([answer.status, answer.error.code], [422, 'integration_not_connected'])
})
