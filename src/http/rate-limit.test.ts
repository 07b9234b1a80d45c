import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, server, testServer } from '../../test/helper.ts'

const world = await testServer({ env: { STEWARD_RATE_LIMIT: '3' } })

test('requests beyond the limit are 429 until the minute is over', async () => {
  const { key } = await world.keyFor(world.owner.id)
  const before = Math.floor(Date.now() / 1000)
  const answers = []
  for (let i = 0; i < 5; i++) answers.push(await world.client('GET /devices', { key }))

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 429, 429],
  )
  assert.deepEqual(
    answers.map(({ headers }) => headers['x-ratelimit-remaining']),
    ['2', '1', '0', '0', '0'],
  )
  const { headers, error, meta } = answers[4]!
  assert.equal(error.type, 'rate_limit_error')
  assert.equal(headers['x-ratelimit-limit'], '3')
  assert.equal(headers['x-request-id'], meta.requestId)
  const [wait, reset] = [Number(headers['retry-after']), Number(headers['x-ratelimit-reset'])]
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60)
  assert.ok(Number.isInteger(reset) && reset > before && reset <= before + 62)
})

test('a key may have a limit of its own, and keys do not use up each other’s', async () => {
  const wide = await world.keyFor(world.owner.id, { rateLimit: 10 })
  const narrow = await world.keyFor(world.owner.id, { rateLimit: 1 })
  const statuses = async (key: string) => [
    (await world.client('GET /devices', { key })).status,
    (await world.client('GET /devices', { key })).status,
  ]

  assert.deepEqual(await statuses(narrow.key), [200, 429])
  assert.deepEqual(await statuses(wide.key), [200, 200])
})

test('what is refused counts too, and an unknown path is counted like any other', async () => {
  const { key } = await world.keyFor(world.owner.id, { permissions: ['view_devices'] })
  const routes = ['GET /nowhere', 'GET /portals', 'GET /devices/{id}', 'GET /devices']
  const answers = []
  for (const route of routes) answers.push(await world.client(route, { key, id: 'x' }))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 403, 400, 429],
  )
})

test('nodes with one Redis count together', { skip: !process.env.TEST_REDIS_URL && 'TEST_REDIS_URL is not set' }, async () => {
  const env = { REDIS_URL: process.env.TEST_REDIS_URL!, STEWARD_RATE_LIMIT: '3' }
  const nodes = [server({ env }), server({ env })].map(({ app }) => clientOf(app, world.key))
  await new Promise((resolve) => setTimeout(resolve, 300))
  const { key } = await world.keyFor(world.owner.id)
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await nodes[i % 2]!('GET /devices', { key })).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
})

test('while Redis is away each node counts alone', async () => {
  const { app } = server({ env: { REDIS_URL: 'redis://127.0.0.1:1', STEWARD_RATE_LIMIT: '1' } })
  const { key } = await world.keyFor(world.owner.id)
  const client = clientOf(app, key)
  assert.deepEqual([(await client('GET /devices')).status, (await client('GET /devices')).status], [200, 429])
})
