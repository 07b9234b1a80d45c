import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleProvider, snapshot } from '../../../test/double-provider.ts'
import { ids, organization, testServer } from '../../../test/helper.ts'
import type { DeviceSnapshot } from '../../providers/provider.ts'

const { providers, script } = doubleProvider()
const { client, make, database } = await testServer({ providers })
const account = await make('integration_accounts', { provider: 'seam' })
let n = 0
const lock = (columns = {}) =>
  make('devices', { type: 'lock', name: `Door ${++n}`, integrationAccountId: account.id, externalId: `door-${n}`, ...columns })
const see = async (id: string, shot: DeviceSnapshot) => {
  script.refresh = async () => shot
  assert.equal((await client('POST /devices/{id}/refresh', { id })).status, 200)
}
const alertsOf = async (deviceId: string, query = {}) =>
  (await client('GET /device-alerts', { query: { deviceId, ...query } })).data
const battery = (percent: number) => snapshot('locked', { battery: { percent, reportedAt: null } })

const cases: [kind: string, bad: DeviceSnapshot, well: DeviceSnapshot][] = [
  ['offline', snapshot(null, { online: false }), snapshot('locked')],
  ['low_battery', battery(11), battery(97)],
  ['jammed', snapshot('jammed'), snapshot('unlocked')],
]
for (const [kind, bad, well] of cases) {
  test(`${kind}: opens with what is seen, once, and closes by itself`, async () => {
    const { id } = await lock()
    await see(id, well)
    assert.deepEqual(await alertsOf(id), [])
    const before = new Date().toISOString()
    await see(id, { ...bad, observedAt: new Date() })
    await see(id, { ...bad, observedAt: new Date() })
    const [alert, ...others] = await alertsOf(id)
    assert.deepEqual([alert.kind, alert.state, alert.closedAt, others], [kind, 'open', null, []])
    assert.ok(alert.openedAt >= before)
    await see(id, { ...well, observedAt: new Date() })
    const [closed] = await alertsOf(id)
    assert.deepEqual([closed.id, closed.state, closed.closedAt >= alert.openedAt], [alert.id, 'closed', true])

    await see(id, { ...bad, observedAt: new Date() })
    const again = await alertsOf(id)
    assert.deepEqual([again.length, again[0].id, again[1].state], [2, alert.id, 'open'], 'a new alert, and the old one stands')
    const { data } = await client('GET /events', { query: { entityId: alert.id } })
    assert.deepEqual(
      data.map(({ type, changes }: { type: string; changes: { kind?: { to: string } } }) => [type, changes.kind?.to]),
      [
        ['device_alert.opened', kind],
        ['device_alert.closed', undefined],
      ],
    )
  })
}

test('a battery near its limit opens one alert, not one for each reading', async () => {
  const { id } = await lock()
  for (const percent of [21, 20, 21, 20, 24, 19]) await see(id, { ...battery(percent), observedAt: new Date() })
  const [alert, ...others] = await alertsOf(id)
  assert.deepEqual([others, alert.state, alert.batteryLevel], [[], 'open', 20])
  await see(id, { ...battery(25), observedAt: new Date() })
  assert.equal((await alertsOf(id))[0].state, 'closed')
})

test('what the provider says of a jam stands in the alert, and how old it is', async () => {
  const { id } = await lock()
  const observedAt = new Date('2026-06-01T10:00:00.000Z')
  await see(id, snapshot('jammed', { observedAt, issues: [{ code: 'jammed', message: 'Stuck at half.' }] }))
  const [alert] = await alertsOf(id)
  assert.deepEqual([alert.message, alert.observedAt], ['Stuck at half.', observedAt.toISOString()])
})

test('a device that is archived has no open alerts, and gets them again when it is taken back', async () => {
  const { id } = await lock()
  await see(id, snapshot('jammed', { online: false }))
  assert.equal((await alertsOf(id, { state: 'open' })).length, 2)
  const archive = (isArchived: boolean) => client('PATCH /devices/{id}', { id, body: { data: { isArchived } } })
  await archive(true)
  assert.deepEqual(
    (await alertsOf(id)).map(({ state }: { state: string }) => state),
    ['closed', 'closed'],
  )
  await archive(false)
  assert.equal((await alertsOf(id, { state: 'open' })).length, 2)
})

test('the alerts of an account that is removed are closed; so are those of a device that a sync no longer sees', async () => {
  const { id: accountId } = (await client('POST /integrations', { body: { provider: 'seam' } })).data
  const listed = (externalId: string) => ({ externalId, name: externalId, type: 'lock', ecosystem: null }) as const
  const off = snapshot(null, { online: false })
  script.list = async function* () {
    yield { ...listed('a'), snapshot: off }
    yield { ...listed('b'), snapshot: off }
  }
  await client('POST /integrations/{id}/sync', { id: accountId })
  const devices: { id: string; name: string }[] = (await client('GET /devices', { query: { integrationAccountId: accountId } }))
    .data
  const [a, b] = ['a', 'b'].map((name) => devices.find((device) => device.name === name)!.id) as [string, string]
  const statesOf = async () => [(await alertsOf(a))[0].state, (await alertsOf(b))[0].state]
  assert.deepEqual(await statesOf(), ['open', 'open'])
  script.list = async function* () {
    yield { ...listed('a'), snapshot: off }
  }
  await client('POST /integrations/{id}/sync', { id: accountId })
  assert.deepEqual(await statesOf(), ['open', 'closed'])
  await client('DELETE /integrations/{id}', { id: accountId })
  assert.deepEqual(await statesOf(), ['closed', 'closed'])
})

test('filters: by device, kinds, state, property and acknowledgement, a page at a time', async () => {
  const house = await make('properties', { name: 'House' })
  const [one, two] = [await lock(), await lock()]
  await make('device_properties', { deviceId: one.id, propertyId: house.id })
  await see(one.id, snapshot('jammed', { online: false }))
  await see(two.id, snapshot('locked', { online: false }))
  await see(two.id, snapshot('locked', { observedAt: new Date() }))
  const kinds = async (query: object) =>
    (await client('GET /device-alerts', { query: { ...query } })).data
      .filter(({ deviceId }: { deviceId: string }) => deviceId === one.id || deviceId === two.id)
      .map(({ kind, deviceId }: { kind: string; deviceId: string }) => `${deviceId === one.id ? 1 : 2} ${kind}`)
      .sort()
  assert.deepEqual(await kinds({ propertyId: house.id }), ['1 jammed', '1 offline'])
  assert.deepEqual(await kinds({ deviceId: two.id }), ['2 offline'])
  assert.deepEqual(await kinds({ kinds: ['offline', 'stale'], limit: 100 }), ['1 offline', '2 offline'])
  assert.deepEqual(await kinds({ deviceId: two.id, state: 'open' }), [])
  assert.deepEqual(await kinds({ deviceId: two.id, state: 'closed' }), ['2 offline'])
  const [{ id }] = await alertsOf(two.id)
  await client('POST /device-alerts/{id}/acknowledge', { id })
  assert.deepEqual(await kinds({ isAcknowledged: true, limit: 100 }), ['2 offline'])
  assert.deepEqual(await kinds({ deviceId: two.id, isAcknowledged: false }), [])
  const page = await client('GET /device-alerts', { query: { propertyId: house.id, limit: 1, offset: 1 } })
  assert.deepEqual([page.meta.pagination.total, ids(page).length], [2, 1])
})

test('a parameter that cannot be is named', async () => {
  for (const [name, value] of [
    ['deviceId', 'door'],
    ['propertyId', '7'],
    ['kinds', 'sad'],
    ['state', 'ajar'],
    ['isAcknowledged', 'perhaps'],
    ['limit', '101'],
    ['offset', '-1'],
  ] as const) {
    const { status, error } = await client('GET /device-alerts', { query: { [name]: value } })
    assert.equal(status, 400, name)
    assert.ok(error.details.issues[0].path.startsWith(`query.${name}`), JSON.stringify(error.details))
  }
})

test("another organization's alerts are not listed, nor by its device or property", async () => {
  const { id } = await lock()
  const house = await make('properties', { name: 'House' })
  await make('device_properties', { deviceId: id, propertyId: house.id })
  await see(id, snapshot('jammed'))
  const { key } = await organization(database)
  for (const query of [{}, { deviceId: id }, { propertyId: house.id }])
    assert.deepEqual((await client('GET /device-alerts', { key, query })).data, [])
})
