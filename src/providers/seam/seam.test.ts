import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fate } from '../../../test/providers/http-proxy.ts'
import { type SeamWorld, seamWorld } from '../../../test/providers/seam-world.ts'
import { ProviderError } from '../provider.ts'
import { deviceOf } from './device.ts'

const call = () => ({ signal: AbortSignal.timeout(10_000) })
const now = new Date('2026-03-01T12:00:00Z')

async function inWorld(body: (world: SeamWorld) => Promise<void>): Promise<void> {
  const world = await seamWorld()
  try {
    await body(world)
  } finally {
    await world.stop()
  }
}

const tooMany = (retryAfter: string): Fate => ({
  status: 429,
  headers: { 'retry-after': retryAfter },
  body: { error: { type: 'rate_limit_exceeded', message: 'Slow down' } },
})

test('a rate limit is told with the time to wait, and nothing moved', () =>
  inWorld(async (world) => {
    world.proxy.fate(() => tooMany('7'))
    await assert.rejects(world.connection.refresh(world.lock, call()), { code: 'rate_limited', retryAfter: 7000 })
    await assert.rejects(world.connection.move(world.lock, 'unlock', call()), { code: 'rate_limited', retryAfter: 7000 })
    assert.equal(world.movements(), 1)
    assert.equal(world.bolt(), 'locked')
    world.proxy.fate(() => tooMany(new Date(Date.now() + 60_000).toUTCString()))
    const error = await world.connection.check(call()).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof ProviderError)
    assert.ok(error.retryAfter! > 50_000 && error.retryAfter! <= 60_000)
  }))

for (const fate of [{ status: 500 }, { status: 502 }, { status: 503 }, { status: 504 }, 'reset', 'garbage'] as const)
  test(`a movement whose request met ${typeof fate === 'string' ? fate : fate.status} may be under way, and is not sent again`, () =>
    inWorld(async (world) => {
      world.movesMeet(fate)
      assert.deepEqual(await world.connection.move(world.lock, 'unlock', call()), { state: 'pending', ref: null })
      assert.equal(world.movements(), 1)
    }))

for (const fate of [{ status: 502 }, { status: 503 }, 'reset'] as const)
  test(`a question that met ${typeof fate === 'string' ? fate : fate.status} is unavailable`, () =>
    inWorld(async (world) => {
      world.proxy.fate(() => fate)
      await assert.rejects(world.connection.refresh(world.lock, call()), { code: 'unavailable' })
      await assert.rejects(world.connection.check(call()), { code: 'unavailable' })
    }))

test('a movement whose progress cannot be asked stays pending under its ref', () =>
  inWorld(async (world) => {
    world.proxy.fate((path) => (path.startsWith('/action_attempts') ? { status: 502 } : 'pass'))
    const outcome = await world.connection.move(world.lock, 'unlock', call())
    assert.ok(outcome.state === 'pending' && outcome.ref)
    world.proxy.fate(() => 'pass')
    assert.equal((await world.connection.outcome(outcome.ref, world.lock, call())).state, 'succeeded')
    assert.equal(world.movements(), 1)
  }))

test('a ref that Seam has forgotten leaves the effect unknown', () =>
  inWorld(async ({ connection, lock }) => {
    assert.deepEqual(await connection.outcome('5d2f4c1e-0000-4000-8000-000000000000', lock, call()), {
      state: 'pending',
      ref: null,
    })
  }))

test('a success is confirmed only where the device itself confirmed it', () =>
  inWorld(async (world) => {
    const { connection, fake, lock, faults } = world
    await faults.stays_pending!()
    for (const confirmed of [true, false]) {
      const left = await connection.move(lock, 'unlock', { signal: AbortSignal.timeout(400) })
      assert.ok(left.state === 'pending' && left.ref)
      const result = { was_confirmed_by_device: confirmed }
      fake.database.updateActionAttempt({ action_attempt_id: left.ref, status: 'success', result } as never)
      assert.deepEqual(await connection.outcome(left.ref, lock, call()), {
        state: 'succeeded',
        ref: left.ref,
        lock: { state: 'unlocked', doorOpen: null },
        confirmed,
      })
    }
  }))

test('a list of more than one page is told whole', () =>
  inWorld(async ({ connection, fake }) => {
    const [first] = fake.database.devices
    for (let number = 0; number < 510; number++)
      fake.database.addDevice({ ...(first as object), device_id: `lock-${number}`, name: `Lock ${number}` } as never)
    const seen = new Set<string>()
    for await (const { externalId } of connection.list(call())) seen.add(externalId)
    assert.ok(seen.size > 510)
    assert.ok(seen.has('lock-0') && seen.has('lock-509'))
  }))

test("Seam's words become this house's", () => {
  const device = (device_type: string, properties: object, rest: object = {}) =>
    deviceOf({ device_id: 'd', device_type, properties, ...rest }, now)

  const lock = device(
    'yale_lock',
    { online: true, locked: false, door_open: true, battery: { level: 0.194 }, appearance: { name: 'Cellar' } },
    {
      errors: [{ error_code: 'hub_disconnected', message: 'The hub is gone' }],
      warnings: [{ warning_code: 'privacy_mode', message: 'On' }],
    },
  )
  assert.deepEqual(lock, {
    externalId: 'd',
    name: 'Cellar',
    type: 'lock',
    ecosystem: 'yale',
    snapshot: {
      online: true,
      battery: { percent: 19, reportedAt: null },
      lock: { state: 'unlocked', doorOpen: true },
      climate: null,
      issues: [
        { code: 'hub_disconnected', message: 'The hub is gone' },
        { code: 'privacy_mode', message: 'On' },
      ],
      observedAt: now,
      live: false,
    },
  })
  assert.deepEqual(device('ecobee_thermostat', { temperature_celsius: 21.5, relative_humidity: 0.36 }).snapshot.climate, {
    temperatureC: 21.5,
    humidityPercent: 36,
  })
  assert.deepEqual(
    device('minut_sensor', { minut_metadata: { latest_sensor_values: { temperature: { value: 19 }, humidity: { value: 41 } } } })
      .snapshot.climate,
    { temperatureC: 19, humidityPercent: 41 },
  )
  for (const [type, kind, ecosystem] of [
    ['tedee_lock', 'lock', 'seam'],
    ['ttlock_lock', 'lock', 'ttlock'],
    ['minut_sensor', 'sensor', 'minut'],
    ['smartthings_thermostat', 'thermostat', 'smartthings'],
    ['ring_camera', 'camera', 'seam'],
    ['two_n_intercom', null, 'seam'],
  ])
    assert.deepEqual([device(type!, {}).type, device(type!, {}).ecosystem], [kind, ecosystem])
  assert.equal(device('two_n_intercom', {}, { capabilities_supported: ['lock'] }).type, 'lock')
})

test("the fake's devices are told apart: by the names people gave them, and by what they are", () =>
  inWorld(async ({ connection }) => {
    const listed: unknown[] = []
    for await (const { name, type } of connection.list(call())) listed.push([name, type])
    assert.deepEqual(listed, [
      ['Front Door', 'lock'],
      ['Back Door', 'lock'],
      ['Thermostat 1', 'thermostat'],
      ['Minut Sensor 1', 'sensor'],
      ['Bathroom Door', 'lock'],
    ])
  }))

test('what is no device is bad_response', () => {
  for (const answer of [
    null,
    'x',
    {},
    { device_id: 'd' },
    { device_id: 'd', device_type: 'yale_lock', properties: { locked: 'yes' } },
  ])
    assert.throws(
      () => deviceOf(answer, now),
      (error) => error instanceof ProviderError && error.code === 'bad_response',
    )
})
