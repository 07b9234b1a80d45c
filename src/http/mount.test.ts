import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import Type from 'typebox'
import { clientOf, server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { read, write } from './endpoint.ts'
import { ApiError } from './errors.ts'
import { Resource, Text } from './schema.ts'

const Echo = Resource('Echo', { title: Type.String() })

/** Endpoints of the test's own: what surrounds a request is the same for all. */
const rename = write({
  route: 'POST /renames',
  id: 'rename',
  summary: 'Rename the organization',
  permission: null,
  body: Type.Object(
    { title: Text({ minLength: 1 }), count: Type.Optional(Type.Integer()), fail: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  response: Echo,
  async handler({ trx, actor, body }) {
    await trx.run(sql`update organizations set name = ${body.title} where id = ${actor.organizationId}`)
    if (body.fail) throw new ApiError('permission_denied')
    return { title: body.title }
  },
})
const touch = write({
  route: 'POST /touches',
  id: 'touch',
  summary: 'Take an empty object',
  permission: null,
  body: Type.Object({}, { additionalProperties: false }),
  response: Echo,
  handler: () => ({ title: 'touched' }),
})
const nameOf = read({
  route: 'GET /name',
  id: 'nameOf',
  summary: 'Read the name',
  permission: null,
  response: Echo,
  async handler({ db, actor }) {
    const [row] = await db.rows<{ name: string }>(sql`select name from organizations where id = ${actor.organizationId}`)
    return { title: row!.name }
  },
})
const broken = read({
  route: 'GET /broken',
  id: 'broken',
  summary: 'Fail',
  permission: null,
  response: Echo,
  handler: () => {
    throw new Error('the secret inner detail')
  },
})

const world = await testServer({ endpoints: [rename, touch, nameOf, broken] })
const { client, app } = world
const json = { 'content-type': 'application/json' }
const issuesOf = (answer: { error: { details: { issues: { path: string; code: string }[] } } }) =>
  answer.error.details.issues.map(({ path, code }) => `${path} ${code}`)

test('every answer carries its request id, in the header and in meta', async () => {
  const answer = await client('GET /name')
  assert.match(answer.meta.requestId, /^req_[0-9a-f]{32}$/)
  assert.equal(answer.headers['x-request-id'], answer.meta.requestId)
  const again = await client('GET /name', { headers: { 'x-request-id': 'mine' } })
  assert.notEqual(again.meta.requestId, answer.meta.requestId)
  assert.ok(again.meta.requestId > answer.meta.requestId)
})

test('unknown paths and methods are 404 with a key, 401 without, whatever the body', async () => {
  for (const route of [
    'GET /nowhere',
    'PUT /name',
    'DELETE /name',
    'OPTIONS /name',
    'HEAD /name',
    'GET /name/',
    'GET /Name',
    'GET /',
  ]) {
    const [withKey, without] = [await client(route, {}), await client(route, { key: null })]
    assert.equal(withKey.status, 404, route)
    assert.equal(without.status, 401, route)
    assert.ok(withKey.headers['x-ratelimit-limit'], route)
  }
  const answer = await client('POST /nowhere', { body: '{"broken', headers: json })
  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'unknown_path')
})

test('outside the API an unknown path is a plain 404', async () => {
  const response = await app.inject({ url: '/api/v2/name' })
  assert.equal(response.statusCode, 404)
  assert.match(String(response.headers['content-type']), /^text\/plain/)
})

test('a body breaks the contract in any way: 400, with every issue named', async () => {
  const cases: [unknown, Record<string, string>, string[]][] = [
    ['{"title":', json, ['body json']],
    [Buffer.from([0x7b, 0xff, 0x7d]), json, ['body encoding']],
    ['title=x', { 'content-type': 'application/x-www-form-urlencoded' }, ['body content_type']],
    ['{"title":"x"}', { 'content-type': 'text/plain' }, ['body content_type']],
    ['"x"', json, ['body type']],
    ['[]', json, ['body type']],
    ['null', json, ['body type']],
    [{ title: 3, count: '3', more: 1 }, json, ['body.more unknown', 'body.title type', 'body.count type']],
    [{}, json, ['body.title required']],
    [undefined, {}, ['body.title required']],
    [{ title: '' }, json, ['body.title min_length']],
    [{ title: 'x'.repeat(501) }, json, ['body.title max_length']],
    [{ title: 'a\0b' }, json, ['body.title pattern']],
    ['{"title":"\\ud800"}', json, ['body.title encoding']],
    ['{"title":"x","__proto__":{"admin":true}}', json, ['body.__proto__ unknown']],
    [`{"title":"x","count":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, json, ['body.count type']],
    [`{"title":"${'x'.repeat(1024 * 1024)}"}`, json, ['body too_large']],
  ]
  for (const [body, headers, expected] of cases) {
    const answer = await client('POST /renames', { ...(body === undefined ? {} : { body }), headers })
    assert.equal(answer.status, 400, expected[0])
    assert.deepEqual(issuesOf(answer).sort(), expected.sort(), expected[0])
    assert.ok(answer.headers['x-ratelimit-limit'])
  }
})

test('query and body are judged together', async () => {
  const answer = await client('POST /renames', { query: { x: 1 }, body: { title: 1 } })
  assert.deepEqual(issuesOf(answer), ['query.x unknown', 'body.title type'])
})

test('an empty object may be left out, with a JSON content type or none', async () => {
  for (const call of [
    {},
    { headers: json },
    { body: '{}', headers: json },
    { body: '', headers: json },
    { body: '{}', headers: { 'content-type': 'application/json; charset=utf-8' } },
  ]) {
    assert.equal((await client('POST /touches', call)).status, 200)
  }
  assert.equal((await client('POST /touches', { body: { a: 1 } })).status, 400)
})

test('a write that fails leaves nothing behind', async () => {
  assert.equal((await client('POST /renames', { body: { title: 'Kept' } })).status, 200)
  assert.equal((await client('POST /renames', { body: { title: 'Lost', fail: true } })).status, 403)
  assert.equal((await client('GET /name')).data.title, 'Kept')
})

test('a write of a key that was just revoked does nothing', async () => {
  const { key, id } = await world.keyFor(world.owner.id)
  assert.equal((await client('GET /name', { key })).status, 200)
  await world.database.transaction((trx) => trx.run(sql`update api_keys set revoked_at = now() where id = ${id}`))
  assert.equal((await client('POST /renames', { key, body: { title: 'Intruder' } })).status, 401)
  assert.notEqual((await client('GET /name')).data.title, 'Intruder')
})

test('what nobody foresaw is a 500 that tells nothing but the request id', async () => {
  const response = await app.inject({ url: '/api/v1/broken', headers: { authorization: `Bearer ${world.key}` } })
  assert.equal(response.statusCode, 500)
  assert.doesNotMatch(response.body, /secret/)
  assert.equal(response.json().error.type, 'internal_error')
  assert.ok(response.headers['x-ratelimit-limit'])
})

test('while the database is away everything is 503 with Retry-After, soon, and the process is alive', async () => {
  const { app: away } = server({ connection: 'postgres://root@127.0.0.1:1/none' })
  const answer = await clientOf(away, world.key)('GET /devices')
  assert.equal(answer.status, 503)
  assert.equal(answer.error.code, 'database_unavailable')
  assert.ok(Number(answer.headers['retry-after']) >= 1)
  assert.ok(answer.headers['x-ratelimit-limit'])
  assert.equal((await away.inject('/healthz')).statusCode, 200)
  assert.equal((await away.inject('/readyz')).statusCode, 503)
  assert.equal((await app.inject('/readyz')).statusCode, 200)
})

test('more than can be worked on at once is shed with 503', async () => {
  const { app: small } = server({ env: { STEWARD_MAX_IN_FLIGHT: '1' }, endpoints: [nameOf] })
  const smallClient = clientOf(small, world.key)
  const answers = await Promise.all(Array.from({ length: 20 }, () => smallClient('GET /name')))
  const codes = new Set(answers.map(({ status, error }) => error?.code ?? status))
  assert.deepEqual([...codes].sort(), [200, 'overloaded'])
  for (const { status, headers } of answers) if (status === 503) assert.ok(headers['retry-after'] && headers['x-ratelimit-limit'])
})

const address = await app.listen({ port: 0, host: '127.0.0.1' })
const port = Number(new URL(address).port)
after(() => app.close())

test('an unreadable URL is 400 in the envelope', async () => {
  const headers = { authorization: `Bearer ${world.key}` }
  const response = await send(
    `GET /api/v1/name/%FF HTTP/1.1\r\nhost: x\r\nauthorization: ${headers.authorization}\r\nconnection: close\r\n\r\n`,
  )
  assert.match(response, /^HTTP\/1.1 (400|404) /)
  assert.match(response, /x-request-id: req_/)
})

test('what is not HTTP, and headers beyond the limit, are 400 in the envelope', async () => {
  for (const request of ['GET / HTP\r\n\r\n', `GET /api/v1/name HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(300_000)}\r\n\r\n`]) {
    const response = await send(request)
    assert.match(response, /^HTTP\/1.1 400 /)
    assert.match(response, /x-request-id: req_/)
    assert.match(response, /x-ratelimit-limit: /)
    assert.match(response, /"type":"validation_error"/)
  }
})

test('an Expect header that nobody knows changes nothing', async () => {
  const response = await send(
    `GET /api/v1/name HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nauthorization: Bearer ${world.key}\r\nconnection: close\r\n\r\n`,
  )
  assert.match(response, /^HTTP\/1.1 200 /)
})

function send(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (bytes) => {
      text += bytes
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}
