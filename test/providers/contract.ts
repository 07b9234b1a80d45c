import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  type Connection,
  type DeviceSnapshot,
  deviceTypes,
  ecosystems,
  type MovementOutcome,
  type ProviderDevice,
  ProviderError,
  type ProviderErrorCode,
} from '../../src/providers/provider.ts'

/** A provider under test: each test starts a world of its own. */
export type Subject = { name: string; start(): Promise<World> }

/**
 * An account with at least a lock, which stands locked, and another device.
 *
 * `faults` are what can go wrong at this provider: what is absent cannot, and its tests are skipped. A fault stays until `mend`.
 */
export type World = {
  connection: Connection
  lock: string
  /** No lock; where the provider itself can tell that. */
  noLock?: string
  /** How often a lock was told to move. */
  movements(): number
  bolt(): 'locked' | 'unlocked' | 'jammed'
  faults: Partial<Record<Fault, () => void | Promise<void>>>
  mend(): void | Promise<void>
  /** Another connection of the same account, whose secret is wrong; `secret` is it. */
  wrongCredential?: { connection: Connection; secret: string }
  stop(): Promise<void>
}

/**
 * Of the device: `offline`, `jams`, `refuses`. `slow` (does not answer in any time that one waits). Of the provider: `away`
 * (nothing listens), `hangs` (takes everything, answers nothing), `garbage`, `loses_answer` (moves the bolt, then breaks off), `stays_pending` (has not moved the bolt yet).
 */
export type Fault = 'offline' | 'jams' | 'refuses' | 'slow' | 'away' | 'hangs' | 'garbage' | 'loses_answer' | 'stays_pending'

const call = (milliseconds = 10_000) => ({ signal: AbortSignal.timeout(milliseconds) })
const within = 10_000

/** What holds for every provider. */
export function contract({ name, start }: Subject): void {
  suite(name, { timeout: 120_000 }, () => {
    /** A test in a world of its own; one that needs a fault which this provider cannot have is skipped. */
    const inWorld = (title: string, fault: Fault | undefined, body: (world: World, t: TestContext) => Promise<void>) =>
      test(title, async (t) => {
        const world = await start()
        try {
          if (fault && !world.faults[fault]) return t.skip(`${name} has no such fault`)
          await body(world, t)
        } finally {
          await world.stop()
        }
      })
    const refresh = ({ connection, lock }: World) => connection.refresh(lock, call())
    const move = ({ connection, lock }: World, movement: 'lock' | 'unlock') => connection.move(lock, movement, call())

    inWorld('list tells each device once, in the words of this house', undefined, async ({ connection, lock }) => {
      const devices = await all(connection)
      assert.equal(new Set(devices.map(({ externalId }) => externalId)).size, devices.length)
      assert.ok(devices.length >= 2)
      assert.equal(devices.find(({ externalId }) => externalId === lock)?.type, 'lock')
      for (const { externalId, name, type, ecosystem, snapshot } of devices) {
        assert.ok(externalId)
        assert.ok(name)
        assert.ok(type === null || deviceTypes.includes(type))
        assert.ok(ecosystem === null || ecosystems.includes(ecosystem))
        assertSane(snapshot)
      }
    })

    inWorld('refresh tells what the device is', undefined, async (world) => {
      const snapshot = await refresh(world)
      assertSane(snapshot)
      assert.equal(snapshot.lock?.state, 'locked')
      assert.notEqual(snapshot.online, false)
    })

    inWorld('an unknown device is device_not_found, and nothing moves', undefined, async ({ connection, movements }) => {
      const moved = movements()
      await rejects(connection.refresh('nobody', call()), ['device_not_found'])
      await rejects(connection.move('nobody', 'lock', call()), ['device_not_found'])
      assert.ok(movements() - moved <= 1, 'what was refused by the provider was at most asked once')
    })

    inWorld('unlock and lock move the bolt to their ends, once each', undefined, async (world) => {
      for (const [movement, end] of [
        ['unlock', 'unlocked'],
        ['lock', 'locked'],
      ] as const) {
        const moved = world.movements()
        assertEnded(await move(world, movement), end)
        assert.equal(world.bolt(), end)
        assert.equal(world.movements(), moved + 1)
        assert.equal((await refresh(world)).lock?.state, end)
      }
    })

    inWorld('a lock that is there already is moved there', undefined, async (world) => {
      assertEnded(await move(world, 'lock'), 'locked')
      assert.equal(world.movements(), 1)
    })

    inWorld('what is no lock is not moved', undefined, async ({ connection, noLock, movements }, t) => {
      if (!noLock) return t.skip(`${name} cannot tell`)
      const outcome = await connection.move(noLock, 'lock', call()).catch((error) => failedBy(error))
      assert.ok(outcome.state === 'failed' && outcome.error.code === 'unsupported')
      assert.equal(movements(), 0)
    })

    inWorld('a device that its provider cannot reach is an answer', 'offline', async (world) => {
      await refresh(world)
      await world.faults.offline!()
      const snapshot = await refresh(world)
      assert.equal(snapshot.online, false)
      assert.equal(snapshot.live, false)
      assertSane(snapshot)
    })

    inWorld('a lock that cannot be reached fails as device_offline', 'offline', async (world) => {
      await world.faults.offline!()
      const outcome = await move(world, 'unlock')
      assert.ok(outcome.state === 'failed', inspect(outcome))
      assert.equal(outcome.error.code, 'device_offline')
      assert.equal(world.bolt(), 'locked')
    })

    inWorld('a jam is a failure, and nobody is told that the door is locked', 'jams', async (world) => {
      await refresh(world)
      await world.faults.jams!()
      const outcome = await move(world, 'lock')
      assert.ok(outcome.state === 'failed', inspect(outcome))
      assert.equal(outcome.error.code, 'jammed')
      assert.equal(world.movements(), 1)
      if (world.bolt() !== 'jammed') return
      const { lock, issues } = await refresh(world)
      assert.equal(lock?.state, 'jammed')
      assert.equal(issues.length, 1)
    })

    inWorld('a lock that refuses fails as rejected', 'refuses', async (world) => {
      await world.faults.refuses!()
      const outcome = await move(world, 'unlock')
      assert.ok(outcome.state === 'failed', inspect(outcome))
      assert.equal(outcome.error.code, 'rejected')
      assert.ok(world.movements() <= 1)
      assert.equal((await refresh(world)).lock?.state, 'locked')
    })

    inWorld('a provider that is away is unavailable, gets nothing, and is found again', 'away', async (world) => {
      const { connection, lock } = world
      await refresh(world)
      await world.faults.away!()
      const began = Date.now()
      await rejects(refresh(world), ['unavailable'])
      await rejects(all(connection), ['unavailable'])
      await rejects(connection.check(call()), ['unavailable'])
      await rejects(connection.move(lock, 'unlock', call()), ['unavailable'])
      assert.ok(Date.now() - began < within, 'the refusals do not wait for a time limit')
      await world.mend()
      assert.equal((await refresh(world)).lock?.state, 'locked')
      assert.equal(world.movements(), 0)
      assert.equal(world.bolt(), 'locked')
    })

    inWorld('a wrong credential is auth_failed everywhere, and is not repeated to anyone', undefined, async (world, t) => {
      if (!world.wrongCredential) return t.skip('nobody asks for one')
      const { connection, secret } = world.wrongCredential
      for (const use of [
        () => connection.check(call()),
        () => all(connection),
        () => connection.refresh(world.lock, call()),
        () => connection.move(world.lock, 'unlock', call()),
      ]) {
        const error = await rejects(use(), ['auth_failed'])
        assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(secret))
      }
      assert.equal(world.bolt(), 'locked')
    })

    inWorld('a device that does not answer is left when the signal comes, its movement pending', 'slow', async (world) => {
      await refresh(world)
      await world.faults.slow!()
      const began = Date.now()
      await rejects(world.connection.refresh(world.lock, call(300)), ['timeout'])
      assert.equal((await world.connection.move(world.lock, 'unlock', call(300))).state, 'pending')
      assert.ok(Date.now() - began < within)
      assert.ok(world.movements() <= 1)
    })

    inWorld('a provider that hangs is left when the signal comes', 'hangs', async (world) => {
      await refresh(world)
      await world.faults.hangs!()
      const began = Date.now()
      await rejects(world.connection.check(call(300)), ['timeout'])
      assert.deepEqual(await world.connection.move(world.lock, 'unlock', call(300)), { state: 'pending', ref: null })
      assert.ok(Date.now() - began < within)
    })

    inWorld('garbage is bad_response', 'garbage', async (world) => {
      await refresh(world)
      await world.faults.garbage!()
      const error = await rejects(refresh(world), ['bad_response'])
      assert.ok(error.message.length < 500)
    })

    inWorld('a lost answer leaves the effect unknown: nothing is sent again, and a look tells', 'loses_answer', async (world) => {
      await world.faults.loses_answer!()
      assert.deepEqual(await move(world, 'unlock'), { state: 'pending', ref: null })
      await delay(300)
      assert.equal(world.movements(), 1)
      await world.mend()
      assert.equal((await refresh(world)).lock?.state, 'unlocked')
    })

    inWorld('a movement that has not ended is told by its ref later', 'stays_pending', async (world) => {
      await world.faults.stays_pending!()
      const outcome = await world.connection.move(world.lock, 'unlock', call(700))
      assert.ok(outcome.state === 'pending' && outcome.ref)
      const still = await world.connection.outcome(outcome.ref, world.lock, call(300))
      assert.deepEqual(still, outcome)
      await world.mend()
      assertEnded(await world.connection.outcome(outcome.ref, world.lock, call()), 'unlocked')
      assert.equal(world.movements(), 1)
    })

    inWorld('a call without time left sends nothing', undefined, async ({ connection, lock, movements, bolt }) => {
      const signal = AbortSignal.abort()
      await rejects(connection.move(lock, 'unlock', { signal }), ['timeout'])
      await rejects(connection.refresh(lock, { signal }), ['timeout'])
      assert.equal(movements(), 0)
      assert.equal(bolt(), 'locked')
    })

    inWorld('a closed connection ends what is under way, sends nothing and may be closed again', undefined, async (world) => {
      await world.connection.check(call())
      await world.faults.hangs?.()
      const waiting = world.faults.hangs ? refresh(world).catch((error: unknown) => error) : undefined
      await delay(50)
      await world.connection.close()
      if (waiting) assert.ok((await waiting) instanceof ProviderError)
      await rejects(move(world, 'unlock'), ['unavailable'])
      await world.connection.close()
      assert.equal(world.movements(), 0)
    })
  })
}

async function all(connection: Connection): Promise<ProviderDevice[]> {
  const devices: ProviderDevice[] = []
  for await (const device of connection.list(call())) devices.push(device)
  return devices
}

async function rejects(promise: Promise<unknown>, codes: ProviderErrorCode[]): Promise<ProviderError> {
  const error = await promise.then(
    (value) => assert.fail(`answered ${inspect(value)}`),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ProviderError, inspect(error))
  assert.ok(codes.includes(error.code), inspect(error))
  return error
}

function failedBy(error: unknown): MovementOutcome {
  if (!(error instanceof ProviderError)) throw error
  return { state: 'failed', ref: null, error: { code: error.code, message: error.message } }
}

/** Where the provider confirms, the lock is told as it was seen; its word alone says nothing else. */
function assertEnded(outcome: MovementOutcome, end: 'locked' | 'unlocked'): void {
  assert.ok(outcome.state === 'succeeded', inspect(outcome))
  if (outcome.confirmed || outcome.lock) assert.equal(outcome.lock?.state, end)
}

function assertSane({ online, battery, climate, issues, observedAt, live }: DeviceSnapshot): void {
  assert.ok(online === null || typeof online === 'boolean')
  if (battery) assert.ok(Number.isInteger(battery.percent) && battery.percent >= 0 && battery.percent <= 100)
  if (climate?.humidityPercent != null) assert.ok(climate.humidityPercent >= 0 && climate.humidityPercent <= 100)
  for (const issue of issues) assert.ok(issue.code && typeof issue.message === 'string')
  assert.ok(Math.abs(observedAt.getTime() - Date.now()) < 60_000)
  assert.equal(typeof live, 'boolean')
}
