import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, server, testServer } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'

let now = new Date('2026-03-01T12:00:00Z')
const world = await testServer({ clock: () => now })
const { client, database, keyFor, member, organizationId } = world
const otherNode = clientOf(server().app, world.key)

const run = (statement: ReturnType<typeof sql>) => database.transaction((trx) => trx.run(statement))

test('no credential, a broken one and an unknown one are 401', async () => {
  const answers = await Promise.all([
    client('GET /organization', { key: null }),
    client('GET /organization', { key: null, headers: { authorization: 'Basic b2xnYTpwdw==' } }),
    client('GET /organization', { key: null, headers: { authorization: 'Bearer' } }),
    client('GET /organization', { key: null, headers: { authorization: `Bearer ${world.key} x` } }),
    client('GET /organization', { key: `${world.key}x` }),
  ])
  assert.deepEqual(
    answers.map(({ status, error }) => [status, error.code]),
    [
      [401, 'credential_missing'],
      [401, 'credential_invalid'],
      [401, 'credential_invalid'],
      [401, 'credential_invalid'],
      [401, 'credential_invalid'],
    ],
  )
})

test('Bearer is matched without case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    assert.equal(
      (await client('GET /organization', { key: null, headers: { authorization: `${scheme} ${world.key}` } })).status,
      200,
    )
  }
})

test('a revoked key is refused by every node at the very next request', async () => {
  const { key, id } = await keyFor(world.owner.id)
  assert.equal((await client('GET /devices', { key })).status, 200)
  assert.equal((await otherNode('GET /devices', { key })).status, 200)

  await run(sql`update api_keys set revoked_at = now() where id = ${id}`)

  assert.equal((await otherNode('GET /devices', { key })).status, 401)
  assert.equal((await client('GET /devices', { key })).status, 401)
})

test('a revoked key is refused also where the request would have failed anyway', async () => {
  const { key, id } = await keyFor(world.owner.id, { permissions: ['view_devices'], rateLimit: 3 })
  assert.equal((await client('GET /devices', { key })).status, 200)
  await run(sql`update api_keys set revoked_at = now() where id = ${id}`)

  assert.equal((await client('GET /nowhere', { key })).status, 401)
  assert.equal((await client('GET /organization', { key })).status, 401)
  assert.equal((await client('GET /devices', { key, query: { limit: 0 } })).status, 401)
  assert.equal((await client('GET /devices', { key })).status, 401)
})

test('a deactivated member is out with all keys at the very next request', async () => {
  const { id } = await member()
  const [first, second] = [await keyFor(id), await keyFor(id)]
  assert.equal((await client('GET /devices', { key: first.key })).status, 200)
  assert.equal((await otherNode('GET /devices', { key: second.key })).status, 200)

  await run(sql`update members set deactivated_at = now() where organization_id = ${organizationId} and id = ${id}`)

  assert.equal((await client('GET /devices', { key: first.key })).status, 401)
  assert.equal((await otherNode('GET /devices', { key: second.key })).status, 401)
})

test('a permission taken away or given counts from the next request', async () => {
  const { id } = await member({ permissions: ['view_devices'] })
  const { key } = await keyFor(id)
  assert.equal((await client('GET /devices', { key })).status, 200)
  assert.equal((await client('GET /portals', { key })).status, 403)

  await run(sql`update members set permissions = '{view_guides}' where organization_id = ${organizationId} and id = ${id}`)

  assert.equal((await client('GET /devices', { key })).status, 403)
  assert.equal((await client('GET /portals', { key })).status, 200)
})

test('a key expires on time', async () => {
  const { key } = await keyFor(world.owner.id, { expiresAt: new Date('2026-03-01T12:00:10Z') })
  now = new Date('2026-03-01T12:00:09.999Z')
  assert.equal((await client('GET /devices', { key })).status, 200)
  now = new Date('2026-03-01T12:00:10Z')
  assert.equal((await client('GET /devices', { key })).status, 401)
})

test('a member who was invited and never joined cannot act', async () => {
  const { id } = await member({ joinedAt: null })
  assert.equal((await client('GET /devices', { key: (await keyFor(id)).key })).status, 401)
})

test('when a key was last used is stored when the node stops, and the key still works elsewhere', async () => {
  const { key, id } = await keyFor(world.owner.id)
  const node = server()
  await clientOf(node.app, key)('GET /devices')
  await node.app.close()
  const [row] = await database
    .reader()
    .db.rows<{ used: boolean }>(sql`select last_used_at > now() - interval '1 minute' as used from api_keys where id = ${id}`)
  assert.equal(row!.used, true)
  assert.equal((await otherNode('GET /devices', { key })).status, 200)
})
