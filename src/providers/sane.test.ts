import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { doubleProvider, snapshot } from '../../test/double-provider.ts'
import { testServer } from '../../test/helper.ts'
import { Device } from '../api/devices/device.ts'
import { checker } from '../http/validate.ts'
import { type DeviceSnapshot, lockStates, type MovementOutcome, type ProviderDevice, ProviderError } from './provider.ts'

const { providers, script } = doubleProvider()
const env = { STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const { client, make } = await testServer({ providers, env })
const account = async () => (await client('POST /integrations', { body: { provider: 'seam' } })).data.id as string
const issuesOf = checker(Device, 'device')

const text = fc.oneof(
  fc.constantFrom('', '\0', 'a\0b', '\ud800', 'x\udfff', '🔑'.repeat(400), 'long '.repeat(2000), '__proto__', '{"a":1}', "'; --"),
  fc.string({ unit: 'binary' }),
)
const number = fc.oneof(
  fc.constantFrom(Number.NaN, Infinity, -Infinity, -0, 1e308, -1e308, 5e-324, 100.000001, -1, 101, 2 ** 60),
  fc.double(),
)
const time = fc.oneof(
  fc.constantFrom(
    new Date(Number.NaN),
    new Date(8.64e15),
    new Date(-8.64e15),
    new Date('0000-01-01'),
    new Date(Date.now() + 1e10),
  ),
  fc.date({ noInvalidDate: false }),
)
const anything = fc.oneof(fc.constantFrom(undefined, null, true, [], {}), text, number, time, fc.anything({ maxDepth: 2 }))
const wild = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: values as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything })

const wildSnapshot = wild(
  fc.record({
    online: wild(fc.boolean()),
    battery: wild(fc.record({ percent: wild(number), reportedAt: wild(time) })),
    lock: wild(fc.record({ state: wild(fc.constantFrom(...lockStates)), doorOpen: wild(fc.boolean()) })),
    climate: wild(fc.record({ temperatureC: wild(number), humidityPercent: wild(number) })),
    issues: wild(fc.array(wild(fc.record({ code: wild(text), message: wild(text) })))),
    observedAt: wild(time),
    live: wild(fc.boolean()),
  }),
) as fc.Arbitrary<DeviceSnapshot>

const wildDevice = wild(
  fc.record({
    // Some stand in a list twice.
    externalId: fc.oneof(fc.constantFrom('a', 'b', 'A'), wild(text)),
    name: wild(text),
    type: wild(fc.constantFrom('lock', 'hub', 'toaster')),
    ecosystem: wild(fc.constantFrom('august', 'nobody')),
    snapshot: wildSnapshot,
  }),
) as fc.Arbitrary<ProviderDevice>

type Shown = {
  deviceState: { lock: unknown; climate: Record<string, number | null> | null; issues: unknown[]; observedAt: string }
  batteryLevel: number | null
  batteryUpdatedAt: string | null
  name: string | null
}

/** What any device must look like, whatever was said of it. */
function check(device: Shown, startedAt: number): void {
  assert.deepEqual(issuesOf(device), [])
  const { batteryLevel, batteryUpdatedAt, deviceState, name } = device
  assert.ok(batteryLevel === null || (batteryLevel >= 0 && batteryLevel <= 100), `battery ${batteryLevel}`)
  assert.ok(name === null || (name.length > 0 && name.length <= 500 && !name.includes('\0')))
  for (const at of [deviceState.observedAt, batteryUpdatedAt ?? deviceState.observedAt]) {
    assert.match(at, /^\d{4}-\d\d-\d\dT/)
    assert.ok(Date.parse(at) >= 0 && Date.parse(at) <= Date.now() && startedAt > 0, at)
  }
  const lock = deviceState.lock as { state: (typeof lockStates)[number]; doorOpen: unknown } | null
  assert.ok(lock === null || (lockStates.includes(lock.state) && [true, false, null].includes(lock.doorOpen as boolean)))
  for (const value of Object.values(deviceState.climate ?? {})) assert.ok(value === null || (value >= -100 && value <= 200))
  assert.ok(Array.isArray(deviceState.issues))
}

test('whatever a provider says of a device, a refresh stores something sensible', async () => {
  const id = await account()
  await fc.assert(
    fc.asyncProperty(wildSnapshot, fc.boolean(), async (said, isNew) => {
      const columns = { type: 'lock', integrationAccountId: id, externalId: randomBytes(8).toString('hex') }
      const device = await make('devices', isNew ? columns : { ...columns, name: 'Door', batteryLevel: 50, online: true })
      script.refresh = async () => said
      const answer = await client('POST /devices/{id}/refresh', { id: device.id })
      assert.equal(answer.status, 200, answer.text)
      check((await client('GET /devices/{id}', { id: device.id })).data, Date.now())
    }),
    { numRuns: 150 },
  )
})

test('whatever a provider lists, a sync brings in what has an id, each once', async () => {
  const id = await account()
  await fc.assert(
    fc.asyncProperty(fc.array(wildDevice, { maxLength: 8 }), async (said) => {
      script.list = async function* () {
        yield* said
      }
      const synced = await client('POST /integrations/{id}/sync', { id })
      assert.equal(synced.status, 200, synced.text)
      const { data } = await client('GET /devices', { query: { integrationAccountId: id, isArchived: false, limit: 100 } })
      assert.equal(data.length, synced.data.seen)
      for (const device of data) check(device, Date.now())
      assert.equal((await client('GET /events', { query: { entityId: id } })).status, 200)
    }),
    { numRuns: 60 },
  )
})

test('a field that is nonsense costs none of the others', async () => {
  const id = await account()
  const odd = snapshot('locked', {
    battery: { percent: 140, reportedAt: new Date(Number.NaN) },
    climate: { temperatureC: Infinity, humidityPercent: -3 },
    issues: [{ code: 'tam\0per', message: 'cut \ud800' }],
  })
  const listed = { type: 'lock', ecosystem: 'august', snapshot: odd } as const
  script.list = async function* () {
    yield { ...listed, externalId: 'a\0', name: 'nameless' }
    yield { ...listed, externalId: 'x'.repeat(501), name: 'too long' }
    yield { ...listed, externalId: 'a', name: 'first' }
    yield { ...listed, externalId: 'a', name: `${'n'.repeat(499)}🔑` }
  }
  assert.equal((await client('POST /integrations/{id}/sync', { id })).data.seen, 1)
  const [device] = (await client('GET /devices', { query: { integrationAccountId: id } })).data
  assert.deepEqual([device.name, device.batteryLevel], ['n'.repeat(499), 100])
  const { lock, climate, issues } = device.deviceState
  assert.deepEqual(
    [lock.state, climate, issues],
    ['locked', { temperatureC: null, humidityPercent: 0 }, [{ code: 'tamper', message: 'cut \ufffd' }]],
  )
})

test('whatever a provider says of a movement, the command is stored', async () => {
  const id = await account()
  const outcomes: unknown[] = [
    { state: 'failed', ref: 'r\0', error: { code: 'nonsense', message: 'no\0 \ud800' } },
    { state: 'succeeded', ref: 'x'.repeat(10_000), lock: { state: 'ajar', doorOpen: 'a bit' }, confirmed: true },
    { state: 'failed', ref: null },
    { state: 'pending', ref: 'r\0' },
    null,
  ]
  script.refresh = async () => snapshot('locked')
  for (const outcome of outcomes) {
    const device = await make('devices', { type: 'lock', integrationAccountId: id, externalId: randomBytes(8).toString('hex') })
    script.move = async () => outcome as MovementOutcome
    assert.equal((await client('POST /devices/{id}/lock', { id: device.id })).status, 200, JSON.stringify(outcome))
  }
  const device = await make('devices', { type: 'lock', integrationAccountId: id, externalId: 'gone' })
  script.move = () => Promise.reject(new ProviderError('unavailable', `a${'\0'}b`))
  assert.equal((await client('POST /devices/{id}/lock', { id: device.id })).status, 503)
})
