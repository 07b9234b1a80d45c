import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { v7 } from 'uuid'
import { clientOf, server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { write } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { canonical, forgetExpired } from './idempotency.ts'
import { Resource, Text, Uuid } from './schema.ts'

const Note = Resource('Note', { id: Uuid, name: Type.String() })

/** Adds a user group, which stands for whatever a write creates. */
const addNote = (route: 'POST /notes' | 'PATCH /notes') =>
  write({
    route,
    id: route.replace(' /', ''),
    summary: 'Add a note',
    permission: null,
    body: Type.Object(
      { name: Text(), refuse: Type.Optional(Type.String()), crash: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    response: Note,
    status: 201,
    async handler({ trx, actor, body }) {
      const id = v7()
      await trx.run(
        sql`insert into user_groups (organization_id, id, name) values (${actor.organizationId}, ${id}, ${body.name})`,
      )
      trx.event({ type: 'note.created', entityType: 'note', entityId: id, changes: { name: { to: body.name } } })
      if (body.refuse) throw new ApiError(body.refuse as 'task_not_found')
      if (body.crash) throw new Error('crash')
      return { id, name: body.name }
    },
  })

let now = new Date()
const endpoints = [addNote('POST /notes'), addNote('PATCH /notes')]
const world = await testServer({ endpoints, clock: () => now })
const { client, database, organizationId } = world
const otherNode = clientOf(server({ endpoints }).app, world.key)

const withKey = (key: string) => ({ 'idempotency-key': key, 'content-type': 'application/json' })

async function stored(name: string): Promise<{ notes: number; events: number }> {
  const { db } = database.reader()
  const [row] = await db.rows<{ notes: number; events: number }>(sql`select
    (select count(*)::int from user_groups where organization_id = ${organizationId} and name = ${name}) as notes,
    (select count(*)::int from events where organization_id = ${organizationId} and changes->'name'->>'to' = ${name}) as events`)
  return row!
}

test('a repeated request is answered again, marked, under a request id of its own, and done once', async () => {
  const call = { body: { name: 'once' }, headers: withKey('k-once') }
  const [first, second, third] = [
    await client('POST /notes', call),
    await client('POST /notes', call),
    await otherNode('POST /notes', call),
  ]

  assert.deepEqual([first.status, second.status, third.status], [201, 201, 201])
  assert.deepEqual(second.data, first.data)
  assert.deepEqual(third.data, first.data)
  assert.deepEqual(
    [first, second, third].map(({ headers }) => headers['idempotency-replayed']),
    [undefined, 'true', 'true'],
  )
  assert.notEqual(second.meta.requestId, first.meta.requestId)
  assert.deepEqual(await stored('once'), { notes: 1, events: 1 })
})

test('without a key every request counts', async () => {
  await client('POST /notes', { body: { name: 'twice' } })
  await client('POST /notes', { body: { name: 'twice' } })
  assert.deepEqual(await stored('twice'), { notes: 2, events: 2 })
})

test('the same key with another body is refused; key order and white space are no difference', async () => {
  const headers = withKey('k-body')
  assert.equal((await client('POST /notes', { body: '{"name":"body","refuse":""}', headers })).status, 201)
  assert.equal(
    (await client('POST /notes', { body: ' { "refuse" : "", "name" : "body" } ', headers })).headers['idempotency-replayed'],
    'true',
  )
  const other = await client('POST /notes', { body: { name: 'other' }, headers })
  assert.equal(other.status, 422)
  assert.equal(other.error.code, 'idempotency_key_reused')
  assert.deepEqual(await stored('other'), { notes: 0, events: 0 })
})

test('a quoted key is the bare one', async () => {
  const first = await client('POST /notes', { body: { name: 'quoted' }, headers: withKey('k "q"') })
  const second = await client('POST /notes', { body: { name: 'quoted' }, headers: withKey('"k \\"q\\""') })
  assert.deepEqual(second.data, first.data)
})

test('a blank key, one too long and one with other characters are 400', async () => {
  for (const key of ['', ' ', '""', '" "', 'x'.repeat(256), 'schlüssel']) {
    const answer = await client('POST /notes', { body: { name: 'never' }, headers: withKey(key) })
    assert.equal(answer.status, 400, key)
    assert.equal(answer.error.details.issues[0].path, 'header.idempotency-key')
  }
  assert.equal((await client('POST /notes', { body: { name: 'long' }, headers: withKey('x'.repeat(255)) })).status, 201)
})

test('the key counts per API key, method and path', async () => {
  const headers = withKey('k-scope')
  const other = await world.keyFor(world.owner.id)
  for (const [route, key] of [
    ['POST /notes', world.key],
    ['PATCH /notes', world.key],
    ['POST /notes', other.key],
  ] as const) {
    const answer = await client(route, { body: { name: 'scope' }, headers, key })
    assert.equal(answer.headers['idempotency-replayed'], undefined, `${route} ${key}`)
  }
  assert.equal((await stored('scope')).notes, 3)
})

test('a refusal is final: it is stored, and nothing of the operation remains', async () => {
  for (const [code, status] of [
    ['task_not_found', 404],
    ['idempotency_key_reused', 422],
    ['idempotency_in_progress', 409],
  ] as const) {
    const call = { body: { name: `refused ${status}`, refuse: code }, headers: withKey(`k-${status}`) }
    const [first, second] = [await client('POST /notes', call), await client('POST /notes', call)]
    assert.equal(first.status, status)
    assert.equal(second.status, status)
    assert.deepEqual(second.error, first.error)
    assert.deepEqual([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']], [undefined, 'true'])
    assert.deepEqual(await stored(`refused ${status}`), { notes: 0, events: 0 })
  }
})

test('what ran nothing is not stored: the retry runs', async () => {
  const headers = withKey('k-retry')
  assert.equal((await client('POST /notes', { body: { name: 3 }, headers })).status, 400)
  assert.equal((await client('POST /notes', { body: { name: 'retried', refuse: 'permission_denied' }, headers })).status, 403)
  const crashed = await world.app.inject({
    method: 'POST',
    url: '/api/v1/notes',
    payload: { name: 'retried', crash: true },
    headers: { ...headers, authorization: `Bearer ${world.key}` },
  })
  assert.equal(crashed.statusCode, 500)
  assert.deepEqual(await stored('retried'), { notes: 0, events: 0 })
  assert.equal((await client('POST /notes', { body: { name: 'retried' }, headers })).status, 201)
})

test('30 at once on two nodes are one: each is told the one answer, or that it is in progress', async () => {
  const call = { body: { name: 'rush' }, headers: withKey('k-rush') }
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? client : otherNode)('POST /notes', call)))
  assert.deepEqual(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 409),
    [201],
  )
  assert.equal(new Set(answers.filter(({ status }) => status === 201).map(({ data }) => data.id)).size, 1)
  assert.equal(answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed']).length, 1)
  assert.deepEqual(await stored('rush'), { notes: 1, events: 1 })
})

test('after a day the key is free again', async () => {
  const call = { body: { name: 'daily' }, headers: withKey('k-day') }
  await client('POST /notes', call)
  now = new Date(now.getTime() + 24 * 3_600_000 - 1000)
  assert.equal((await client('POST /notes', call)).headers['idempotency-replayed'], 'true')
  now = new Date(now.getTime() + 1000)
  assert.equal((await client('POST /notes', call)).headers['idempotency-replayed'], undefined)
  assert.equal((await client('POST /notes', call)).headers['idempotency-replayed'], 'true')
  assert.equal((await stored('daily')).notes, 2)
})

test('what is older than a day is cleaned up, and nothing else', async () => {
  const day = 24 * 3_600_000
  const then = now
  await client('POST /notes', { body: { name: 'old' }, headers: withKey('k-old') })
  now = new Date(then.getTime() + day)
  await client('POST /notes', { body: { name: 'fresh' }, headers: withKey('k-fresh') })

  assert.ok((await forgetExpired(database, now)) >= 1)

  const rows = await database.reader().db.rows<{ age: string }>(sql`select 1 from idempotency_records
    where organization_id = ${organizationId} and created_at <= ${then}`)
  assert.deepEqual(rows, [])
  assert.equal(
    (await client('POST /notes', { body: { name: 'fresh' }, headers: withKey('k-fresh') })).headers['idempotency-replayed'],
    'true',
  )
})

test('canonical JSON does not depend on the order of keys, and arrays keep theirs', () => {
  assert.equal(canonical({ b: [2, { d: 1, c: null }], a: 'x' }), '{"a":"x","b":[2,{"c":null,"d":1}]}')
  assert.notEqual(canonical([1, 2]), canonical([2, 1]))
})
