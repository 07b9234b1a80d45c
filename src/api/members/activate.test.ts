import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-06-01T14:30:00.250Z')
const { client, member, keyFor, database, owner } = await testServer({ clock: () => now })

const activate = (id: string, key?: string) => client('POST /members/{id}/activate', { id, ...(key ? { key } : {}) })

test('an invited member joins at that moment, keeps role and permissions, and their keys are accepted from then on', async () => {
  const { id, userId } = await member({ role: 'viewer', permissions: ['view_tasks'], joinedAt: null })
  const { key } = await keyFor(id)
  assert.equal((await client('GET /tasks', { key })).status, 401)

  const answer = await activate(userId)

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, (await client('GET /members/{id}', { id })).data)
  assert.deepEqual([answer.data.isActive, answer.data.joinedAt], [true, '2026-06-01T14:30:00.250Z'])
  assert.deepEqual([answer.data.role, answer.data.permissions], ['viewer', ['view_tasks']])
  assert.equal((await client('GET /tasks', { key })).status, 200)
  const [event, ...more] = (await client('GET /events', { query: { entityId: id } })).data
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.memberId, event.requestId], ['member.joined', owner.id, answer.meta.requestId])
  assert.deepEqual(event.changes, { joinedAt: { from: null, to: '2026-06-01T14:30:00.250Z' } })
})

test('one who has joined stays as they are', async () => {
  const { id } = await member({ joinedAt: new Date('2026-01-01T00:00:00Z') })
  assert.equal((await activate(id)).data.joinedAt, '2026-01-01T00:00:00.000Z')
  assert.deepEqual((await client('GET /events', { query: { entityId: id } })).data, [])
})

test('a suspended member does not join', async () => {
  const { id } = await member({ joinedAt: null, deactivatedAt: now })
  const answer = await activate(id)
  assert.deepEqual([answer.status, answer.error.code], [422, 'member_inactive'])
})

test('nobody lets in a member of their own rank or above, or one of another organization', async () => {
  const { key } = await keyFor((await member({ role: 'manager' })).id)
  for (const role of ['manager', 'custom', 'owner']) {
    const answer = await activate((await member({ role, joinedAt: null })).id, key)
    assert.deepEqual([answer.status, answer.error.code], [403, 'member_outranks_you'])
  }
  const theirs = await (await organization(database)).member({ joinedAt: null })
  for (const id of [theirs.id, theirs.userId, v7()]) assert.equal((await activate(id)).error.code, 'member_not_found')
})

test('a body with fields is 400', async () => {
  const { id } = await member({ joinedAt: null })
  const answer = await client('POST /members/{id}/activate', { id, body: { joinedAt: now } })
  assert.equal(answer.error.details.issues[0].path, 'body.joinedAt')
  assert.equal((await client('GET /members/{id}', { id })).data.joinedAt, null)
})
