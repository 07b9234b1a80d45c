import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import Type from 'typebox'
import { testServer } from '../../test/helper.ts'
import { raw, sql } from '../db/sql.ts'
import { read } from './endpoint.ts'
import { Text } from './schema.ts'

/** As many parts as asked for, each a number of a megabyte of text, after some seconds of sleep. */
const long = read({
  route: 'GET /long',
  id: 'long',
  summary: 'Answer in parts',
  permission: 'view_analytics',
  query: Type.Object({
    parts: Type.Integer(),
    sleep: Type.Integer(),
    name: Text(),
    failing: Type.Integer({ default: -1 }),
    empty: Type.Integer({ default: -1 }),
  }),
  response: Type.Array(Type.Unknown()),
  handler: ({ db, query }) =>
    db.parts({
      row: sql`'"' || repeat(r.n || ${query.name}, 100000) || '"'`,
      by: raw('r.n'),
      order: raw('r.n'),
      from: Array.from(
        { length: query.parts },
        (_, n) => sql`(select ${n}::int / ${n === query.failing ? 0 : 1}::int * 0 + ${n}::int % 10 as n, pg_sleep(${query.sleep})
          where ${n}::int <> ${query.empty}) r`,
      ),
    }),
})

let parts = 0
const { app, client, database, key, keyId, keyFor, owner } = await testServer({
  endpoints: [long],
  trace: ({ text }) => {
    if (text.includes('repeat(')) parts++
  },
})
await app.listen({ host: '127.0.0.1', port: 0 })
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/v1/long`
const headers = { authorization: `Bearer ${key}` }
const numbers = (data: string[]) => data.map((text) => Number(text[0]))

test('parts make one array, whichever of them are empty', async () => {
  for (const [query, expected] of [
    [{ parts: 3, empty: -1 }, [0, 1, 2]],
    [{ parts: 3, empty: 0 }, [1, 2]],
    [{ parts: 3, empty: 1 }, [0, 2]],
    [{ parts: 3, empty: 2 }, [0, 1]],
    [{ parts: 1, empty: 0 }, []],
  ] as const) {
    const answer = await client('GET /long', { query: { ...query, sleep: 0, name: 'x' } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(numbers(answer.data), expected)
    assert.equal(answer.meta.requestId, answer.headers['x-request-id'])
  }
})

test('a failure in a later part breaks the answer off, so that nobody takes it for whole', async () => {
  const response = await fetch(`${url}?parts=4&sleep=0&name=x&failing=2`, { headers })
  assert.equal(response.status, 200)
  await assert.rejects(response.text())
})

test('rights that are taken away while an answer is sent break it off; a key whose use is noted has the same rights', async () => {
  const someone = await keyFor(owner.id)
  const change = (text: string) =>
    database.transaction((trx) => trx.run(sql`update api_keys set ${raw(text)} where id = ${someone.id}`))
  /** How many parts of 8 come, where the key changes after the first. */
  const partsAfter = async (text: string) => {
    const request = get(`${url}?parts=8&sleep=0&name=${'rights'.repeat(10)}`, {
      headers: { authorization: `Bearer ${someone.key}` },
    })
    const [response] = await once(request, 'response')
    await change(text)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return JSON.parse(Buffer.concat(chunks).toString()).data.length
  }
  assert.equal(await partsAfter('last_used_at = now()'), 8)
  await assert.rejects(partsAfter('revoked_at = now()'), /aborted/)
})

test('no part is read ahead of a client that reads slowly, nor for one that went away', async () => {
  const before = parts
  const request = get(`${url}?parts=200&sleep=0&name=${'slow'.repeat(20)}`, { headers })
  request.on('error', () => {})
  const [response] = await once(request, 'response')
  response.on('error', () => {})
  let seen = -1
  while (parts !== seen) {
    seen = parts
    await delay(300)
  }
  assert.ok(parts - before < 20, `${parts - before} parts were read`)
  request.destroy()
  await delay(300)
  assert.ok(parts - seen <= 1)
})

test('a statement is cancelled when the client goes away', { skip: !process.env.TEST_DATABASE_URL }, async () => {
  const name = `cancel ${keyId}`
  const request = get(`${url}?parts=2&sleep=60&name=${encodeURIComponent(name)}`, { headers })
  request.on('error', () => {})
  const { db } = database.reader()
  const running = async () => {
    const [row] = await db.rows<{ count: number }>(sql`select count(*)::int as count from pg_stat_activity
      where state = 'active' and query like '%pg_sleep%' and query like '%repeat%' and pid <> pg_backend_pid() and datname = current_database()`)
    return row!.count
  }
  const until = async (count: number) => {
    for (let tries = 0; tries < 100 && (await running()) !== count; tries++) await delay(50)
    assert.equal(await running(), count)
  }
  await until(1)
  request.destroy()
  await until(0)
  assert.equal((await client('GET /long', { query: { parts: 2, sleep: 0, name: 'after' } })).status, 200)
})

test('an answer in many parts is in work until it is sent, and no longer', async () => {
  const narrow = await testServer({ endpoints: [long], env: { STEWARD_MAX_IN_FLIGHT: '3' } })
  for (let n = 0; n < 8; n++) {
    const answer = await narrow.client('GET /long', { query: { parts: 3, sleep: 0, name: 'x' } })
    assert.equal(answer.status, 200, answer.text)
  }
})
