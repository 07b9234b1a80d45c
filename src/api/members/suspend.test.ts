import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, organization, server, testServer } from '../../../test/helper.ts'

const { client, member, keyFor, database, owner } = await testServer()
const otherNode = server().app

test('a suspended member has no permissions, is inactive, and every key is refused by the other node’s very next request', async () => {
  const { id, userId } = await member()
  const keys = [await keyFor(id), await keyFor(id)]
  for (const { key } of keys) assert.equal((await clientOf(otherNode, key)('GET /devices')).status, 200)

  const answer = await client('POST /members/{id}/suspend', { id })

  assert.deepEqual([answer.status, answer.data], [200, { success: true }])
  for (const { key } of keys) assert.equal((await clientOf(otherNode, key)('GET /devices')).status, 401)
  const { data } = await client('GET /members/{id}', { id: userId })
  assert.deepEqual([data.isActive, data.permissions], [false, []])
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['member.suspended'],
  )
})

test('suspending again succeeds and changes nothing; the user id names the member too', async () => {
  const { id, userId } = await member()
  assert.equal((await client('POST /members/{id}/suspend', { id: userId })).status, 200)
  assert.equal((await client('POST /members/{id}/suspend', { id })).status, 200)
  assert.equal((await client('GET /events', { query: { entityId: id } })).data.length, 1)
})

test('the last active owner cannot be suspended, an invited or suspended one does not count', async () => {
  const world = await organization(database)
  const call = clientOf(otherNode, world.key)
  await world.member({ role: 'owner', joinedAt: null })
  await world.member({ role: 'owner', deactivatedAt: new Date() })
  const answer = await call('POST /members/{id}/suspend', { id: world.owner.id })
  assert.equal(answer.status, 422)
  assert.equal(answer.error.code, 'last_owner')
})

test('two owners who suspend each other at once leave one', async () => {
  for (let round = 0; round < 5; round++) {
    const world = await organization(database)
    const second = await world.member({ role: 'owner' })
    const { key } = await world.keyFor(second.id)
    const answers = await Promise.all([
      clientOf(otherNode, world.key)('POST /members/{id}/suspend', { id: second.id }),
      client('POST /members/{id}/suspend', { id: world.owner.id, key }),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map(({ status }) => status)))
  }
})

test('nobody suspends a member of their own rank or above, or one of another organization', async () => {
  const admin = await keyFor((await member({ role: 'admin' })).id)
  const peer = await member({ role: 'admin' })
  for (const id of [peer.id, owner.id]) {
    const answer = await client('POST /members/{id}/suspend', { id, key: admin.key })
    assert.deepEqual([answer.status, answer.error.code], [403, 'member_outranks_you'])
  }
  assert.equal(
    (await client('POST /members/{id}/suspend', { id: (await member({ role: 'manager' })).id, key: admin.key })).status,
    200,
  )
  const foreign = await organization(database)
  assert.equal((await client('POST /members/{id}/suspend', { id: foreign.owner.id })).status, 404)
})
