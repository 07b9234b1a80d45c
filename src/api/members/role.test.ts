import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, clientOf, organization, server, testServer } from '../../../test/helper.ts'
import { type Permission, permissions } from '../../http/permissions.ts'
import { roleDefaults, roles } from './member.ts'

const { client, member, keyFor, database, owner } = await testServer()
const otherNode = server().app

const setRole = (id: string, body: unknown, key?: string) =>
  client('POST /members/{id}/role', { id, body, ...(key ? { key } : {}) })
const read = async (id: string) => (await client('GET /members/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data
const refusal = ({ status, error }: Answer) => [status, error?.code]
const keyOf = async (columns: Parameters<typeof member>[0], keyPermissions?: readonly Permission[]) =>
  (await keyFor((await member(columns)).id, keyPermissions ? { permissions: keyPermissions } : {})).key

test('a member gets the role and the permissions given, and reads so afterwards; the event says who did it', async () => {
  const { id, userId } = await member({ role: 'viewer', permissions: ['view_tasks'] })

  const answer = await setRole(id, { role: 'field_supervisor', permissions: ['view_users', 'view_tasks'] })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, { userId, role: 'field_supervisor', permissions: ['view_tasks', 'view_users'] })
  const { role, permissions } = await read(id)
  assert.deepEqual([role, permissions], ['field_supervisor', ['view_tasks', 'view_users']])
  const [event, ...more] = await eventsOf(id)
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.entityType, event.memberId], ['member.role_changed', 'member', owner.id])
  assert.equal(event.requestId, answer.meta.requestId)
  assert.deepEqual(event.changes, {
    role: { from: 'viewer', to: 'field_supervisor' },
    permissions: { from: ['view_tasks'], to: ['view_tasks', 'view_users'] },
  })
})

for (const role of roles)
  test(`without permissions, ${role} has its defaults: ${roleDefaults[role].length} permissions`, async () => {
    const { id } = await member({ role: 'member' })
    assert.deepEqual((await setRole(id, { role })).data.permissions, roleDefaults[role])
    assert.deepEqual((await read(id)).permissions, roleDefaults[role])
  })

test('permissions are kept in the order of the contract, each once; none at all are fine', async () => {
  const { id } = await member()
  const given = ['manage_shifts', 'view_tasks', 'manage_shifts', 'view_dashboard', 'view_tasks']
  const { data } = await setRole(id, { role: 'custom', permissions: given })
  assert.deepEqual(data.permissions, ['view_dashboard', 'view_tasks', 'manage_shifts'])
  assert.deepEqual((await setRole(id, { role: 'custom', permissions: [] })).data.permissions, [])
})

test('setting what already is changes nothing and leaves no event; changed permissions alone are told alone', async () => {
  const { id } = await member({ role: 'viewer', permissions: ['view_tasks'] })
  assert.equal((await setRole(id, { role: 'viewer', permissions: ['view_tasks', 'view_tasks'] })).status, 200)
  assert.deepEqual(await eventsOf(id), [])
  await setRole(id, { role: 'viewer', permissions: [] })
  assert.deepEqual((await eventsOf(id))[0].changes, { permissions: { from: ['view_tasks'], to: [] } })
})

test('a taken permission is gone from the very next request, on every node', async () => {
  const { id } = await member({ role: 'member' })
  const { key } = await keyFor(id)
  const elsewhere = clientOf(otherNode, key)
  assert.equal((await elsewhere('GET /devices')).status, 200)
  await setRole(id, { role: 'member', permissions: ['view_tasks'] })
  assert.equal((await elsewhere('GET /devices')).status, 403)
})

test('the user id names the member too, and an invited member can be changed', async () => {
  const invited = await member({ role: 'viewer', joinedAt: null })
  assert.equal((await setRole(invited.userId.toUpperCase(), { role: 'manager' })).status, 200)
  assert.deepEqual([(await read(invited.id)).role, (await read(invited.id)).joinedAt], ['manager', null])
})

test('a suspended member is to be reinstated first: permissions stay cleared', async () => {
  const { id } = await member({ role: 'viewer', permissions: [], deactivatedAt: new Date() })
  assert.deepEqual(refusal(await setRole(id, { role: 'viewer' })), [422, 'member_inactive'])
  assert.deepEqual((await read(id)).permissions, [])
})

test('nobody but an owner changes a member of their own rank or above, themselves included', async () => {
  const admin = await member({ role: 'admin' })
  const { key } = await keyFor(admin.id)
  for (const { id } of [admin, await member({ role: 'admin' }), owner, await member({ role: 'owner', joinedAt: null })])
    assert.deepEqual(refusal(await setRole(id, { role: 'viewer' }, key)), [403, 'member_outranks_you'])
  const manager = await keyOf({ role: 'manager' })
  assert.deepEqual(refusal(await setRole((await member({ role: 'custom' })).id, { role: 'viewer' }, manager)), [
    403,
    'member_outranks_you',
  ])
  const equal = await member({ role: 'owner' })
  assert.equal((await setRole(equal.id, { role: 'admin' })).status, 200)
})

test('nobody gives a role above their own; one as high is fine, custom stands beside manager', async () => {
  const [admin, manager, custom] = [
    await keyOf({ role: 'admin' }),
    await keyOf({ role: 'manager' }),
    await keyOf({ role: 'custom' }),
  ]
  const { id } = await member({ role: 'member' })
  for (const [key, role] of [
    [admin, 'owner'],
    [manager, 'admin'],
    [custom, 'owner'],
  ] as const) {
    const answer = await setRole(id, { role, permissions: [] }, key)
    assert.deepEqual(refusal(answer), [403, 'role_above_yours'])
    assert.equal(answer.error.details.role, role)
  }
  for (const [key, role] of [
    [admin, 'admin'],
    [manager, 'custom'],
    [custom, 'manager'],
  ] as const)
    assert.equal((await setRole((await member({ role: 'member' })).id, { role, permissions: [] }, key)).status, 200)
})

test('nobody gives a permission that they, or their key, lack: named or among the defaults of the role', async () => {
  const mine: Permission[] = ['view_tasks', 'view_users', 'manage_users']
  const weakMember = await keyOf({ role: 'admin', permissions: mine })
  const weakKey = (await keyFor(owner.id, { permissions: mine })).key
  for (const key of [weakMember, weakKey]) {
    const { id } = await member({ role: 'viewer', permissions: [] })
    const named = await setRole(id, { role: 'viewer', permissions: ['private_code', 'view_tasks', 'delete_tasks'] }, key)
    assert.deepEqual(refusal(named), [403, 'permission_not_yours'])
    assert.deepEqual(named.error.details, { permissions: ['private_code', 'delete_tasks'] })
    assert.deepEqual(refusal(await setRole(id, { role: 'viewer' }, key)), [403, 'permission_not_yours'])
    assert.deepEqual((await read(id)).permissions, [])
    assert.equal((await setRole(id, { role: 'viewer', permissions: mine }, key)).status, 200)
  }
})

test('an owner with a weak key gives themselves nothing that the key lacks', async () => {
  const { key } = await keyFor(owner.id, { permissions: ['manage_users'] })
  assert.deepEqual(refusal(await setRole(owner.id, { role: 'owner' }, key)), [403, 'permission_not_yours'])
})

test('the last active owner cannot be demoted; one who is invited or suspended does not count', async () => {
  const world = await organization(database)
  await world.member({ role: 'owner', joinedAt: null })
  await world.member({ role: 'owner', deactivatedAt: new Date() })
  assert.deepEqual(refusal(await setRole(world.owner.id, { role: 'admin' }, world.key)), [422, 'last_owner'])
  assert.equal((await setRole(world.owner.id, { role: 'owner' }, world.key)).status, 200)
  const second = await world.member({ role: 'owner' })
  assert.equal((await setRole(world.owner.id, { role: 'admin' }, world.key)).status, 200)
  assert.equal((await setRole(second.id, { role: 'admin' }, (await world.keyFor(second.id)).key)).error.code, 'last_owner')
})

test('two owners who demote themselves, or each other, at once leave one', async () => {
  for (let round = 0; round < 6; round++) {
    const world = await organization(database)
    const second = await world.member({ role: 'owner' })
    const { key } = await world.keyFor(second.id)
    const [mine, theirs] = round % 2 === 0 ? [world.owner, second] : [second, world.owner]
    const answers = await Promise.all([
      clientOf(otherNode, world.key)('POST /members/{id}/role', { id: mine.id, body: { role: 'viewer' } }),
      setRole(theirs.id, { role: 'viewer' }, key),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map(refusal)))
    const left = await client('GET /members', { query: { offset: 0, roleFilter: 'owner' }, key: world.key })
    assert.equal(left.data.length, 1)
  }
})

test('of two owners who demote each other at once while a third stands by, the slower one may no longer', async () => {
  for (let round = 0; round < 4; round++) {
    const world = await organization(database)
    await world.member({ role: 'owner' })
    const second = await world.member({ role: 'owner' })
    const { key } = await world.keyFor(second.id)
    const answers = await Promise.all([
      clientOf(otherNode, world.key)('POST /members/{id}/role', { id: second.id, body: { role: 'viewer' } }),
      setRole(world.owner.id, { role: 'viewer' }, key),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403])
  }
})

test("another organization's member does not exist, by either id, also where the user is shared", async () => {
  const other = await organization(database)
  const shared = await member({ role: 'viewer' })
  const theirs = await other.member({ userId: shared.userId, role: 'member' })
  assert.deepEqual(refusal(await setRole(theirs.id, { role: 'viewer' })), [404, 'member_not_found'])
  assert.deepEqual(refusal(await setRole(v7(), { role: 'viewer' })), [404, 'member_not_found'])
  assert.equal((await setRole(shared.userId, { role: 'custom' })).data.role, 'custom')
  const { data } = await client('GET /members/{id}', { id: theirs.id, key: other.key })
  assert.equal(data.role, 'member')
})

const broken: [body: unknown, ...issues: string[]][] = [
  [{}, 'body.role required'],
  [{ role: 'boss' }, 'body.role enum'],
  [{ role: null }, 'body.role enum'],
  [{ role: ['viewer'] }, 'body.role enum'],
  [{ role: 'Owner' }, 'body.role enum'],
  [{ role: 'viewer', permissions: null }, 'body.permissions type'],
  [{ role: 'viewer', permissions: 'view_tasks' }, 'body.permissions type'],
  [{ role: 'viewer', permissions: ['view_tasks', 'fly'] }, 'body.permissions.1 enum'],
  [{ role: 'viewer', permissions: Array.from({ length: 201 }, () => 'view_tasks') }, 'body.permissions max_items'],
  [{ role: 'viewer', userId: v7() }, 'body.userId unknown'],
  [[], 'body type'],
  [{ permissions: [1], extra: true }, 'body.extra unknown', 'body.permissions.0 enum', 'body.role required'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(0, 70)} is 400 and says why`, async () => {
    const answer = await setRole((await member()).id, body)
    assert.equal(answer.status, 400)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(found.sort(), issues)
  })

test('as many permissions as there are, and a list at its bound, are fine', async () => {
  const { id } = await member()
  assert.equal((await setRole(id, { role: 'custom', permissions })).status, 200)
  assert.equal((await setRole(id, { role: 'custom', permissions: Array.from({ length: 200 }, () => 'view_tasks') })).status, 200)
})
