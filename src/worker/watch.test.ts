import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { doubleProvider, hang, snapshot } from '../../test/double-provider.ts'
import { server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { type DeviceSnapshot, type ProviderDevice, ProviderError } from '../providers/provider.ts'
import { watch } from './watch.ts'

// Far ahead, as in settle-commands.test.ts.
let now = new Date('2100-01-01T00:00:00.000Z')
const clock = () => now
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}
const [minute, hour] = [60_000, 3_600_000]
const interval = 5 * minute

/** An organization with an account at a provider of its own, and what is needed to watch it. */
async function world({ timeout = 200, places = 20 } = {}) {
  const { providers, script } = doubleProvider()
  const there = await testServer({ providers, clock })
  const { client, make, organizationId, database, config } = there
  const node = ({ app, database }: Pick<typeof there, 'app' | 'database'> = there) =>
    watch({
      database,
      connections: app.connections,
      clock,
      limits: config,
      interval,
      timeout,
      places,
      organizationId,
    })
  const account = async () => (await make('integration_accounts', { provider: 'seam', nextPollAt: now })).id
  let n = 0
  const device = (accountId: string, columns = {}) =>
    make('devices', { type: 'lock', integrationAccountId: accountId, externalId: `door-${++n}`, createdAt: now, ...columns })
  const accountOf = async (id: string) => {
    const [row] = await database
      .reader()
      .db.rows<{ next: Date; failures: number }>(sql`select next_poll_at as next, poll_failures as failures
      from integration_accounts where organization_id = ${organizationId} and id = ${id}`)
    return { ...(await client('GET /integrations/{id}', { id })).data, ...row! }
  }
  const alertsOf = async (deviceId: string) =>
    (await client('GET /device-alerts', { query: { deviceId } })).data.map(
      ({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`,
    )
  const shown = async (id: string) => (await client('GET /devices/{id}', { id })).data
  const round = async (...nodes: ReturnType<typeof watch>[]) => {
    await Promise.all(nodes.map((one) => one.run()))
    await Promise.all(nodes.map((one) => one.settled()))
  }
  return { ...there, providers, script, node, account, device, accountOf, alertsOf, shown, round }
}

const listed = (externalId: string, shot: DeviceSnapshot): ProviderDevice => ({
  externalId,
  name: 'By the provider',
  type: 'lock',
  ecosystem: null,
  snapshot: shot,
})
const listing = (...devices: ProviderDevice[]) =>
  async function* () {
    yield* devices
  }

test('a poll stores what is seen of known devices, and brings none in', async () => {
  const { client, script, node, account, device, accountOf, alertsOf, shown, round } = await world()
  const id = await account()
  const door = await device(id, { name: 'Front' })
  script.list = listing(
    listed(door.externalId as string, snapshot('unlocked', { observedAt: now, online: false })),
    listed('new', snapshot('locked')),
  )
  await round(node())
  const { name, deviceState, online, healthCheck } = await shown(door.id)
  assert.deepEqual([name, deviceState.lock.state, online, healthCheck], ['Front', 'unlocked', false, now.toISOString()])
  assert.equal((await client('GET /devices')).meta.pagination.total, 1)
  assert.deepEqual(await alertsOf(door.id), ['offline open'])
  const { lastPolledAt, lastPollError, next } = await accountOf(id)
  assert.deepEqual([lastPolledAt, lastPollError], [now.toISOString(), null])
  const pause = next.getTime() - now.getTime()
  assert.ok(pause >= interval * 0.9 && pause <= interval * 1.1, String(pause))

  script.list = listing(listed(door.externalId as string, snapshot('locked', { observedAt: now })))
  pass(pause)
  await round(node())
  assert.deepEqual([await alertsOf(door.id), (await shown(door.id)).deviceState.lock.state], [['offline closed'], 'locked'])
})

test('nodes share the pace: an account that is due is polled once', async () => {
  const { providers, script, node, account, round } = await world()
  const second = server({ providers, clock })
  let polls = 0
  script.list = async function* () {
    polls++
    await delay(20)
    yield* []
  }
  const accounts = [await account(), await account(), await account()]
  const nodes = [node(), node(second), node(second)]
  await round(...nodes)
  await round(...nodes)
  assert.equal(polls, accounts.length)
  pass(interval * 1.1)
  await round(...nodes)
  assert.equal(polls, 2 * accounts.length)
})

test('a provider that fails is polled less and less, its failure is shown, and the truth looks as old as it is', async () => {
  const { script, node, account, device, accountOf, alertsOf, shown, round } = await world()
  const id = await account()
  const door = await device(id)
  const seenAt = now.toISOString()
  const one = node()
  script.list = listing(listed(door.externalId as string, snapshot('locked', { observedAt: now })))
  await round(one)
  let polls = 0
  script.list = () => {
    polls++
    throw new ProviderError('unavailable', 'away')
  }
  const pauses: number[] = []
  const until = now.getTime() + 26 * hour
  while (now.getTime() < until) {
    const { next } = await accountOf(id)
    pass(next.getTime() - now.getTime())
    await round(one)
    pauses.push((await accountOf(id)).next.getTime() - now.getTime())
  }
  for (const [i, most] of [2, 4, 8, 12, 12].entries())
    assert.ok(pauses[i]! >= most * 0.9 * interval && pauses[i]! <= most * 1.1 * interval, `${i}: ${pauses[i]}`)
  assert.ok(polls < 40, String(polls))
  const { lastPollError, lastPolledAt, failures } = await accountOf(id)
  assert.deepEqual([lastPollError, lastPolledAt, failures], ['unavailable', seenAt, polls])
  const { deviceState } = await shown(door.id)
  assert.equal(deviceState.observedAt, seenAt)
  assert.deepEqual(await alertsOf(door.id), ['stale open'])

  script.list = listing(listed(door.externalId as string, snapshot('locked', { observedAt: now })))
  pass(2 * hour)
  await round(one)
  const after = await accountOf(id)
  assert.deepEqual([after.lastPollError, after.failures, await alertsOf(door.id)], [null, 0, ['stale closed']])
})

test("the provider's own word on when to come again is kept, up to a day", async () => {
  const { script, node, account, accountOf, round } = await world()
  for (const [given, kept] of [
    [3 * hour, 3 * hour],
    [900 * hour, 24 * hour],
  ] as const) {
    const id = await account()
    script.list = () => {
      throw new ProviderError('rate_limited', 'slow down', { retryAfter: given })
    }
    await round(node())
    const { next, lastPollError } = await accountOf(id)
    assert.deepEqual([next.getTime() - now.getTime(), lastPollError], [kept, 'rate_limited'])
  }
})

test('what no provider may throw is told of, and is backed off from all the same', async () => {
  const { script, node, account, accountOf } = await world()
  const id = await account()
  script.list = () => {
    throw new TypeError('undefined is not a lock')
  }
  const one = node()
  const told: string[] = []
  for (let i = 0; i < 3; i++) {
    await one.run().catch((error: Error) => told.push(error.message))
    await one.settled()
  }
  assert.deepEqual(told, ['undefined is not a lock'])
  assert.deepEqual([(await accountOf(id)).lastPollError, (await accountOf(id)).failures], ['bad_response', 1])
})

test('an account that cannot be connected says so, and its devices are not stale', async () => {
  const { make, node, device, accountOf, alertsOf, round } = await world()
  const { id } = await make('integration_accounts', { provider: 'manual', nextPollAt: now })
  const door = await device(id, { createdAt: '2026-01-01T00:00:00.000Z', online: null })
  await round(node())
  assert.equal((await accountOf(id)).lastPollError, 'not_connected')
  assert.deepEqual(await alertsOf(door.id), [])
})

test('a device that its provider lists no more becomes stale', async () => {
  const { script, node, account, device, alertsOf, round } = await world()
  const door = await device(await account())
  const one = node()
  script.list = listing()
  await round(one)
  assert.deepEqual(await alertsOf(door.id), [])
  pass(24 * hour)
  await round(one)
  assert.deepEqual(await alertsOf(door.id), ['stale open'])
})

test('providers that hang delay nobody: neither other accounts, nor reads, nor the run', async () => {
  const { client, script, node, account, device, accountOf, shown } = await world({ timeout: 1_500, places: 4 })
  const hanging = await Promise.all(Array.from({ length: 6 }, account))
  script.list = async function* () {
    yield await hang()
  }
  const one = node()
  const begun = Date.now()
  await one.run()
  assert.ok(Date.now() - begun < 1_000, 'a run waits for no provider')
  assert.equal((await client('GET /devices')).status, 200)
  await one.settled()
  const failed = (await Promise.all(hanging.map(accountOf))).filter(({ failures }) => failures === 1)
  assert.deepEqual([failed.length, failed[0]!.lastPollError], [4, 'timeout'])

  // Those that hung take half of the places at most; the other half serves who is well.
  for (let i = 0; i < 2; i++) {
    pass(24 * hour)
    await one.run()
    await one.settled()
  }
  pass(24 * hour)
  await one.run()
  await delay(50)
  const door = await device(await account())
  script.list = listing(listed(door.externalId as string, snapshot('locked', { observedAt: now })))
  const asked = Date.now()
  await one.run()
  while ((await shown(door.id)).deviceState === null && Date.now() - asked < 1_000) await delay(20)
  assert.equal((await shown(door.id)).deviceState?.lock.state, 'locked')
  await one.settled()
  assert.ok(Date.now() - asked > 500, 'the others hung meanwhile')
})

test('stopping ends what is under way, and another node takes it up at once', async () => {
  const { script, node, account, accountOf } = await world({ timeout: 60_000 })
  const id = await account()
  script.list = async function* () {
    yield await hang()
  }
  const one = node()
  await one.run()
  const begun = Date.now()
  await one.stop()
  assert.ok(Date.now() - begun < 5_000)
  const { next, failures, lastPollError } = await accountOf(id)
  assert.deepEqual([next, failures, lastPollError], [now, 0, null])
})

test('other settings are tried at once, however long the account had failed', async () => {
  const { client, script, node, account, accountOf, round } = await world()
  const id = await account()
  script.list = () => {
    throw new ProviderError('auth_failed', 'revoked')
  }
  const one = node()
  await round(one)
  assert.equal((await accountOf(id)).failures, 1)
  script.list = listing()
  await client('PATCH /integrations/{id}', { id, body: { data: { settings: {} } } })
  await round(one)
  assert.deepEqual([(await accountOf(id)).failures, (await accountOf(id)).lastPolledAt], [0, now.toISOString()])
})
