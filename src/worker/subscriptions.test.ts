import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { doubleProvider, snapshot } from '../../test/double-provider.ts'
import { server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import type { DeviceSnapshot } from '../providers/provider.ts'
import { watch } from './watch.ts'

// Far ahead, as in settle-commands.test.ts.
let now = new Date('2100-01-01T00:00:00.000Z')
const clock = () => now
const env = { STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const interval = 300_000

/** An account whose provider tells of changes: `tell` reaches whoever listens. */
async function world() {
  const { providers: doubles, script } = doubleProvider()
  const providers = { seam: { ...doubles.seam, settings: Type.Object({ token: Type.Optional(Type.String()) }) } }
  const listeners = new Set<(externalId: string, shot: DeviceSnapshot) => void>()
  script.subscribe = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const there = await testServer({ providers, clock, env })
  const { client, make, organizationId, database, config } = there
  const node = ({ app, database }: Pick<typeof there, 'app' | 'database'> = there) =>
    watch({ database, connections: app.connections, clock, limits: config, interval, organizationId })
  const { id: accountId } = await make('integration_accounts', { provider: 'seam', nextPollAt: now })
  const door = await make('devices', { type: 'lock', integrationAccountId: accountId, externalId: 'door', createdAt: now })
  const tell = (shot: DeviceSnapshot, externalId = 'door') => {
    for (const listener of listeners) listener(externalId, { ...shot, observedAt: now })
  }
  const state = async () => (await client('GET /devices/{id}', { id: door.id })).data
  const round = async (one: ReturnType<typeof node>) => {
    await one.run()
    await one.settled()
  }
  const run = (statement: ReturnType<typeof sql>) => database.transaction((trx) => trx.run(statement))
  return { ...there, providers, listeners, node, accountId, door, tell, state, round, run }
}

test('what a provider tells is stored together, with the alerts, and no poll is needed for it', async () => {
  const { client, node, round, tell, state, door } = await world()
  const one = node()
  await round(one)
  tell(snapshot(null, { battery: { percent: 9, reportedAt: null } }))
  tell(snapshot('unlocked', { online: null }))
  tell(snapshot('jammed', { online: null }))
  tell(snapshot('locked'), 'nobody knows it')
  assert.equal((await state()).deviceState, null)
  await one.run()
  const { deviceState, batteryLevel, online } = await state()
  assert.deepEqual([deviceState.lock.state, batteryLevel, online], ['jammed', 9, true])
  const { data } = await client('GET /device-alerts', { query: { deviceId: door.id, state: 'open' } })
  assert.deepEqual(data.map(({ kind }: { kind: string }) => kind).sort(), ['jammed', 'low_battery'])
})

test('one node stores what is told: the one that polled last', async () => {
  const { providers, node, round, listeners } = await world()
  const [first, second] = [node(), node(server({ providers, clock, env }))]
  await round(first)
  assert.equal(listeners.size, 1)
  now = new Date(now.getTime() + 2 * interval)
  await round(second)
  await first.run()
  assert.equal(listeners.size, 1, 'the first has ended its own')
})

test('the subscription of an account that is removed ends, and what it told is not stored', async () => {
  const { client, node, round, tell, state, listeners, accountId } = await world()
  const one = node()
  await round(one)
  await client('DELETE /integrations/{id}', { id: accountId })
  tell(snapshot('unlocked'))
  await one.run()
  assert.deepEqual([listeners.size, (await state()).deviceState], [0, null])
})

test('other settings make another subscription', async () => {
  const { client, node, round, tell, state, listeners, accountId } = await world()
  const one = node()
  await round(one)
  const [before] = listeners
  await client('PATCH /integrations/{id}', { id: accountId, body: { data: { settings: { token: 't' } } } })
  now = new Date(now.getTime() + 1)
  await round(one)
  await round(one)
  assert.equal(listeners.size, 1)
  assert.notEqual([...listeners][0], before)
  tell(snapshot('locked'))
  await one.run()
  assert.equal((await state()).deviceState.lock.state, 'locked')
})

test('stopping stores what was told, and lets another node take over at once', async () => {
  const { providers, node, round, tell, state, listeners, run, organizationId } = await world()
  const one = node()
  await round(one)
  tell(snapshot('unlocked'))
  await one.stop()
  assert.deepEqual([listeners.size, (await state()).deviceState.lock.state], [0, 'unlocked'])
  await round(node(server({ providers, clock, env })))
  assert.equal(listeners.size, 1)
  assert.equal(
    await run(sql`select 1 from integration_accounts where organization_id = ${organizationId} and watched_by is not null`),
    1,
  )
})
