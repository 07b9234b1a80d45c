import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { v7 } from 'uuid'
import { clientOf, server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { command } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { Resource, Text, Uuid } from './schema.ts'

const Sent = Resource('Sent', { commandId: Uuid, state: Type.String() })

/** What the world outside does, by the name that a test gives its command. */
const world: Record<string, () => Promise<'succeeded' | 'unreachable'>> = {}
const acts: Record<string, number> = {}
const now = () => new Date()

/** A command to a device of the test's own: what surrounds it is what matters. */
const send = command({
  route: 'POST /sendings',
  id: 'send',
  summary: 'Send',
  permission: null,
  body: Type.Object({ name: Text(), deviceId: Uuid }, { additionalProperties: false }),
  response: Sent,
  async begin({ trx, actor, body }) {
    if (body.name === 'refused') throw new ApiError('device_not_found')
    const commandId = v7()
    await trx.run(sql`insert into device_commands (organization_id, id, device_id, kind, check_after)
      values (${actor.organizationId}, ${commandId}, ${body.deviceId}, 'refresh', 'infinity')`)
    trx.event({ type: 'command.begun', entityType: 'command', entityId: commandId })
    return { commandId }
  },
  async act({ body }) {
    acts[body.name] = (acts[body.name] ?? 0) + 1
    return (await world[body.name]?.()) ?? 'succeeded'
  },
  async finish({ trx, actor, commandId, outcome }) {
    const state = outcome === 'succeeded' ? 'succeeded' : 'failed'
    await trx.run(
      sql`update device_commands set state = ${state} where organization_id = ${actor.organizationId} and id = ${commandId}`,
    )
    trx.event({ type: `command.${state}`, entityType: 'command', entityId: commandId })
    return outcome === 'succeeded' ? { commandId, state } : new ApiError('overloaded')
  },
  async present({ db, actor, commandId }) {
    const [row] = await db.rows<{ state: string }>(sql`select state from device_commands
      where organization_id = ${actor.organizationId} and id = ${commandId}`)
    return { commandId, state: row!.state }
  },
})

const { client, app, key, make, database, organizationId } = await testServer({ endpoints: [send] })
const otherNode = clientOf(server({ endpoints: [send] }).app, key)
const deviceId = (await make('devices', { type: 'lock' })).id
const call = (name: string, keyed = true) => ({
  body: { name, deviceId },
  headers: { 'content-type': 'application/json', ...(keyed ? { 'idempotency-key': name } : {}) },
})

const eventsOf = async (id: string) =>
  (
    await database.reader().db.rows<{ type: string }>(sql`select type from events
    where organization_id = ${organizationId} and entity_id = ${id} order by id`)
  ).map(({ type }) => type)

test('the intent is stored before the act and the outcome after it, each with its event', async () => {
  world.told = async () => {
    const [row] = await database.reader().db.rows<{ state: string }>(sql`select state from device_commands
      where organization_id = ${organizationId} order by id desc limit 1`)
    assert.equal(row!.state, 'pending')
    return 'succeeded'
  }
  const { data } = await client('POST /sendings', call('told', false))
  assert.equal(data.state, 'succeeded')
  assert.deepEqual(await eventsOf(data.commandId), ['command.begun', 'command.succeeded'])
})

test('a repeated request is answered again and acts once, also 20 at once on two nodes', async () => {
  world.rush = () => new Promise((resolve) => setTimeout(() => resolve('succeeded'), 100))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? client : otherNode)('POST /sendings', call('rush'))),
  )
  assert.equal(acts.rush, 1)
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(new Set(done.map(({ data }) => data.commandId)).size, 1)
  for (const { status } of answers) assert.ok(status === 200 || status === 409)
  const again = await otherNode('POST /sendings', call('rush'))
  assert.deepEqual([again.data.state, again.headers['idempotency-replayed']], ['succeeded', 'true'])
  assert.equal(acts.rush, 1)
})

test('a retry whose first process died is answered from the command as it stands, and nothing is sent again', async () => {
  world.died = () => Promise.reject(new Error('the process is gone'))
  const { headers, body } = call('died')
  const first = await app.inject({
    method: 'POST',
    url: '/api/v1/sendings',
    payload: body,
    headers: { ...headers, authorization: `Bearer ${key}` },
  })
  assert.equal(first.statusCode, 500)

  const retry = await otherNode('POST /sendings', call('died'))

  assert.deepEqual(
    [retry.status, retry.data.state, retry.headers['idempotency-replayed'], acts.died],
    [200, 'pending', 'true', 1],
  )
  const other = await client('POST /sendings', { ...call('died'), body: { name: 'other', deviceId } })
  assert.equal(other.error.code, 'idempotency_key_reused')
})

test('an outcome that is not final is stored with the command and frees the key', async () => {
  world.away = async () => 'unreachable'
  assert.equal((await client('POST /sendings', call('away'))).status, 503)
  world.away = async () => 'succeeded'
  const retry = await client('POST /sendings', call('away'))
  assert.deepEqual([retry.data.state, retry.headers['idempotency-replayed'], acts.away], ['succeeded', undefined, 2])
})

test('what is refused before it begins acts never, and is stored like any refusal', async () => {
  const [first, second] = [await client('POST /sendings', call('refused')), await client('POST /sendings', call('refused'))]
  assert.deepEqual(
    [first.status, second.status, second.headers['idempotency-replayed'], acts.refused],
    [404, 404, 'true', undefined],
  )
})

test('no transaction is open while it acts', async () => {
  world.slow = async () => {
    const [row] = await database.reader().db.rows<{ open: number }>(sql`select count(*)::int as open from device_commands
      where organization_id = ${organizationId} and state = 'pending' and created_at > ${new Date(now().getTime() - 60_000)}`)
    assert.ok(row!.open >= 1, 'the intent is committed')
    return 'succeeded'
  }
  assert.equal((await client('POST /sendings', call('slow'))).status, 200)
})
