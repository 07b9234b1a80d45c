import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import type { Permission } from '../../http/permissions.ts'
import { roleDefaults } from './member.ts'

const { client, member, keyFor, database, owner } = await testServer()

const reinstate = (id: string, key?: string) => client('POST /members/{id}/reinstate', { id, ...(key ? { key } : {}) })
const suspended = (columns: Parameters<typeof member>[0] = {}) =>
  member({ role: 'field_supervisor', permissions: [], deactivatedAt: new Date(), ...columns })

test("a suspended member is active again with the role's own permissions, and reads so afterwards", async () => {
  const { id, userId } = await suspended({ joinedAt: new Date('2026-03-01T08:00:00Z') })

  const answer = await reinstate(userId)

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, (await client('GET /members/{id}', { id })).data)
  assert.deepEqual([answer.data.isActive, answer.data.joinedAt], [true, '2026-03-01T08:00:00.000Z'])
  assert.deepEqual(answer.data.permissions, roleDefaults.field_supervisor)
  const [event, ...more] = (await client('GET /events', { query: { entityId: id } })).data
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.memberId, event.requestId], ['member.reinstated', owner.id, answer.meta.requestId])
  assert.deepEqual(event.changes.permissions, { from: [], to: roleDefaults.field_supervisor })
  assert.equal(event.changes.deactivatedAt.to, null)
})

test('one who never joined is invited again, and custom comes back with nothing', async () => {
  const { id } = await suspended({ joinedAt: null, role: 'custom' })
  const { data } = await reinstate(id)
  assert.deepEqual([data.isActive, data.joinedAt, data.permissions], [false, null, []])
  const { data: invited } = await client('GET /members', { query: { offset: 0, statusFilter: 'invited' } })
  assert.deepEqual(
    invited.map(({ memberId }: { memberId: string }) => memberId),
    [id],
  )
})

test('keys that were revoked stay revoked; a new one works', async () => {
  const { id } = await member({ role: 'member' })
  const { key } = await keyFor(id)
  await client('POST /members/{id}/suspend', { id })
  await reinstate(id)
  assert.equal((await client('GET /devices', { key })).status, 401)
  assert.equal((await client('GET /devices', { key: (await keyFor(id)).key })).status, 200)
})

test('only permissions that the caller has, through this key, come back', async () => {
  const mine: Permission[] = ['view_tasks', 'manage_users', 'delete_tasks', 'manage_shifts']
  const { key } = await keyFor(owner.id, { permissions: mine })
  const { id } = await suspended()
  assert.deepEqual((await reinstate(id, key)).data.permissions, ['view_tasks', 'manage_shifts'])
})

test('a member who is not suspended stays as they are, joined or not', async () => {
  for (const joinedAt of [new Date(), null]) {
    const { id } = await member({ role: 'viewer', permissions: ['view_inbox'], joinedAt })
    const answer = await reinstate(id)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.data, (await client('GET /members/{id}', { id })).data)
    assert.deepEqual(answer.data.permissions, ['view_inbox'])
    assert.deepEqual((await client('GET /events', { query: { entityId: id } })).data, [])
  }
})

test('nobody takes back a member of their own rank or above, or one of another organization', async () => {
  const { key } = await keyFor((await member({ role: 'admin' })).id)
  for (const role of ['admin', 'owner']) {
    const { id } = await suspended({ role })
    const answer = await reinstate(id, key)
    assert.deepEqual([answer.status, answer.error.code], [403, 'member_outranks_you'])
    assert.equal((await reinstate(id)).status, 200)
  }
  const theirs = await (await organization(database)).member({ deactivatedAt: new Date() })
  for (const id of [theirs.id, theirs.userId, v7()]) assert.equal((await reinstate(id)).error.code, 'member_not_found')
})

test('a body with fields is 400, and so is an id that is no UUID', async () => {
  const { id } = await suspended()
  const answer = await client('POST /members/{id}/reinstate', { id, body: { role: 'owner' } })
  assert.deepEqual(
    answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [['body.role', 'unknown']],
  )
  assert.equal((await reinstate('me')).status, 400)
})
