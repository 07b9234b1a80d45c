import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { surroundings } from '../../../test/providers/surroundings.ts'
import { tcpProxy } from '../../../test/providers/tcp-proxy.ts'
import { lockIeee, sensorIeee } from '../../../test/providers/zigbee-hub.ts'
import { type ZigbeeWorld, zigbeeWorld } from '../../../test/providers/zigbee2mqtt-world.ts'
import type { DeviceSnapshot } from '../provider.ts'
import { devicesOf } from './device.ts'
import { hear, unknown } from './topics.ts'
import { zigbee2mqttWith } from './zigbee2mqtt.ts'

const call = (milliseconds = 10_000) => ({ signal: AbortSignal.timeout(milliseconds) })

async function inWorld(body: (world: ZigbeeWorld) => Promise<void>): Promise<void> {
  const world = await zigbeeWorld()
  try {
    await body(world)
  } finally {
    await world.stop()
  }
}

/** Ends with the first push that `wanted` accepts. */
function pushed(
  world: ZigbeeWorld,
  wanted: (snapshot: DeviceSnapshot) => boolean,
): Promise<{ id: string; snapshot: DeviceSnapshot }> {
  return new Promise((resolve) => {
    const stop = world.connection.subscribe!((id, snapshot) => {
      if (!wanted(snapshot)) return
      stop()
      resolve({ id, snapshot })
    })
  })
}

test('a renamed device is the same one, and is told by its new name', () =>
  inWorld(async ({ connection, hub }) => {
    await connection.refresh(lockIeee, call())
    await hub.rename('front door', 'house/entrance')
    await delay(100)
    assert.equal((await connection.refresh(lockIeee, call())).live, true)
    assert.equal((await connection.move(lockIeee, 'unlock', call())).state, 'succeeded')
    const names: (string | null)[] = []
    for await (const { name } of connection.list(call())) names.push(name)
    assert.deepEqual(names, ['house/entrance', 'hall/climate'])
  }))

test('what a device tells by itself is pushed', () =>
  inWorld(async (world) => {
    await world.connection.check(call())
    const climate = pushed(world, ({ climate }) => climate !== null)
    world.hub.report('hall/climate', { temperature: 19.4, humidity: 48, battery: 17, battery_low: true })
    const { id, snapshot } = await climate
    assert.equal(id, sensorIeee)
    assert.deepEqual(snapshot.climate, { temperatureC: 19.4, humidityPercent: 48 })
    assert.deepEqual(snapshot.battery, { percent: 17, reportedAt: null })
    assert.deepEqual(snapshot.issues, [{ code: 'battery_low', message: 'The device reports battery low.' }])
    assert.equal(snapshot.online, true)

    const gone = pushed(world, ({ online }) => online === false)
    await world.hub.availability('front door', 'offline')
    assert.equal((await gone).id, lockIeee)
  }))

test('pushes go on after the broker was away', () =>
  inWorld(async (world) => {
    const heard = pushed(world, ({ climate }) => climate?.temperatureC === 21)
    await world.connection.check(call())
    await world.proxy.leave()
    await world.proxy.back()
    // Nobody calls: the connection comes back by itself, a second later.
    await delay(1500)
    world.hub.report('hall/climate', { temperature: 21 })
    assert.equal((await heard).id, sensorIeee)
  }))

test('a sensor that cannot be asked is told as it was heard last', () =>
  inWorld(async ({ connection, hub }) => {
    assert.equal((await connection.refresh(sensorIeee, call())).climate, null)
    const lastSeen = new Date(Date.now() - 3_600_000)
    hub.report('hall/climate', { temperature: 20, last_seen: lastSeen.toISOString() })
    await delay(100)
    const { climate, observedAt, live } = await connection.refresh(sensorIeee, call())
    assert.deepEqual(climate, { temperatureC: 20, humidityPercent: null })
    assert.deepEqual(observedAt, lastSeen)
    assert.equal(live, false)
  }))

test('the last will of a hub that crashed makes it unavailable', () =>
  inWorld(async ({ connection, hub }) => {
    await connection.refresh(lockIeee, call())
    hub.fault = 'silent'
    const waiting = connection.refresh(lockIeee, call())
    const moving = connection.move(lockIeee, 'unlock', call())
    const [refreshed, moved] = await Promise.all([
      waiting.then(
        () => 'answered',
        (error: { code: string }) => error.code,
      ),
      moving,
      delay(50).then(() => hub.crash()),
    ])
    assert.equal(refreshed, 'unavailable')
    assert.deepEqual(moved, { state: 'pending', ref: null })
    await assert.rejects(connection.move(lockIeee, 'unlock', call()), { code: 'unavailable' })
  }))

test('a connection that breaks while the bolt moves leaves the effect unknown', () =>
  inWorld(async ({ connection, hub, proxy }) => {
    await connection.refresh(lockIeee, call())
    hub.fault = 'refuses'
    const moving = connection.move(lockIeee, 'unlock', call())
    await delay(50)
    await proxy.leave()
    assert.deepEqual(await moving, { state: 'pending', ref: null })
    assert.equal(hub.commands.length, 1)
  }))

test('a lock known to be offline is told nothing', () =>
  inWorld(async ({ connection, hub }) => {
    await hub.availability('front door', 'offline')
    await connection.check(call())
    assert.equal((await connection.refresh(lockIeee, call())).online, false)
    const outcome = await connection.move(lockIeee, 'unlock', call())
    assert.ok(outcome.state === 'failed' && outcome.error.code === 'device_offline')
    assert.deepEqual(hub.commands, [])
  }))

test('a bolt that takes its time is seen by looking again', () =>
  inWorld(async ({ connection, hub }) => {
    await connection.refresh(lockIeee, call())
    hub.fault = 'refuses'
    const moving = connection.move(lockIeee, 'unlock', call())
    await delay(350)
    hub.setBolt('unlocked')
    assert.deepEqual(await moving, {
      state: 'succeeded',
      ref: null,
      lock: { state: 'unlocked', doorOpen: null },
      confirmed: true,
    })
  }))

test('the old state that the hub repeats is no proof, also where nothing was known before', () =>
  inWorld(async ({ connection, hub }) => {
    await connection.check(call())
    hub.fault = 'silent'
    const moving = connection.move(lockIeee, 'lock', call())
    await delay(20)
    hub.report('front door', { state: 'LOCK', lock_state: 'locked' })
    assert.deepEqual(await moving, { state: 'pending', ref: null })
  }))

test('a silent device behind a hub that is there is offline', () =>
  inWorld(async ({ connection, hub }) => {
    await connection.check(call())
    hub.fault = 'silent'
    const { online, live } = await connection.refresh(lockIeee, call())
    assert.deepEqual({ online, live }, { online: false, live: false })
  }))

test('a broker without a hub, or one that says nothing, is left in time', async () => {
  const world = await zigbeeWorld()
  try {
    const url = `mqtt://127.0.0.1:${world.proxy.port}`
    const other = zigbee2mqttWith({ answer: 500, look: 100 }).connect(
      { ...world.settings, baseTopic: 'nobody-is-here' },
      surroundings,
    )
    await assert.rejects(other.check(call()), { code: 'unavailable', message: /nobody-is-here/ })
    await other.close()
    const mute = await tcpProxy('127.0.0.1', world.proxy.port)
    mute.hang()
    const hung = zigbee2mqttWith({ answer: 500, look: 100 }).connect(
      { ...world.settings, url: url.replace(/\d+$/, String(mute.port)) },
      surroundings,
    )
    await assert.rejects(hung.check(call(300)), { code: 'timeout' })
    await hung.close()
    await mute.leave()
  } finally {
    await world.stop()
  }
})

test('the list of devices is read with care', () => {
  assert.equal(devicesOf({}), undefined)
  assert.equal(devicesOf([{ friendly_name: 'x' }]), undefined)
  const kind = (type: string, exposes: unknown[]) =>
    devicesOf([{ ieee_address: '0x1', friendly_name: 'x', type, definition: { exposes } }])?.[0]?.type
  assert.equal(kind('Router', [{ type: 'numeric', property: 'linkquality' }]), 'repeater')
  assert.equal(kind('Router', [{ type: 'light', features: [{ property: 'state' }] }]), 'light')
  assert.equal(kind('EndDevice', [{ type: 'binary', property: 'contact' }]), 'door_window_sensor')
  assert.equal(kind('EndDevice', [{ type: 'climate', features: [{ property: 'local_temperature' }] }]), 'thermostat')
  assert.equal(kind('EndDevice', [{ type: 'binary', property: 'occupancy' }]), 'sensor')
  assert.equal(kind('EndDevice', [{ type: 'enum', property: 'action' }]), null)
  const entry = { ieee_address: '0x1', friendly_name: 'x', type: 'EndDevice', definition: null }
  assert.deepEqual(devicesOf([{ ...entry, disabled: true }]), [])
  assert.equal(devicesOf([entry])?.[0]?.lock, null)
})

test('a retained state without a time tells nothing, one with a time tells that', () => {
  const known = unknown()
  const now = new Date()
  const retained = (payload: object) => hear(known, 'x', Buffer.from(JSON.stringify(payload)), { retain: true, now })
  assert.equal(retained({ temperature: 20 }), undefined)
  assert.equal(known.states.size, 0)
  retained({ temperature: 20, last_seen: 1_767_225_600_000 })
  assert.deepEqual(known.states.get('x')?.at, new Date('2026-01-01T00:00:00Z'))
})
