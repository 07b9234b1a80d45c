import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, clientOf, organization, server, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { roleDefaults } from './member.ts'

const now = new Date('2026-06-01T14:30:00.250Z')
const world = await testServer({ clock: () => now })
const { client, make, member, keyFor, database, owner, organizationId } = world
const otherNode = clientOf(server().app, world.key)
const { db } = database.reader()

let count = 0
const address = () => `person${++count}@casa.example`
const invite = (body: unknown, key?: string) => client('POST /members', { body, ...(key ? { key } : {}) })
const refusal = ({ status, error }: Answer) => [status, error?.code]

test('someone invited reads as answered: not active, without a date of joining, in their departments', async () => {
  const [cleaning, garden] = [await make('departments', { name: 'Limpieza' }), await make('departments', { name: 'Garden' })]
  const coast = await make('property_groups', { name: 'Coast' })
  const email = 'Inês.Conceição@casa.example'

  const answer = await invite({
    email,
    role: 'field_supervisor',
    permissions: ['manage_shifts', 'view_tasks', 'view_tasks'],
    firstName: 'Inês "Nê"',
    lastName: 'Conceição',
    memberType: 'external',
    departmentIds: [garden.id, cleaning.id, garden.id],
    propertyGroupIds: [coast.id],
    hourlyCostCents: 1500,
    hourlyBillableCents: 0,
  })

  assert.equal(answer.status, 200, answer.text)
  const { memberId: id, userId, ...rest } = answer.data
  assert.deepEqual(rest, {
    firstName: 'Inês "Nê"',
    lastName: 'Conceição',
    email,
    avatarUrl: null,
    isActive: false,
    joinedAt: null,
    memberType: 'external',
    role: 'field_supervisor',
    permissions: ['view_tasks', 'manage_shifts'],
    departments: [
      { id: cleaning.id, name: 'Limpieza' },
      { id: garden.id, name: 'Garden' },
    ],
  })
  for (const named of [id, userId]) assert.deepEqual((await client('GET /members/{id}', { id: named })).data, answer.data)
  const { data: found } = await client('GET /members', {
    query: { offset: 0, statusFilter: 'invited', propertyGroupIds: coast.id, search: 'ines "ne"' },
  })
  assert.deepEqual(found, [answer.data])
  const rows = await db.rows(sql`select hourly_cost_cents::int as cost, hourly_billable_cents::int as billable from members
    where organization_id = ${organizationId} and id = ${id}`)
  assert.deepEqual(rows, [{ cost: 1500, billable: 0 }])
})

test('the event tells what was given, who invited and by which request, and not what an hour costs', async () => {
  const body = { email: address(), role: 'viewer', lastName: 'Papadopoulou', hourlyCostCents: 1234 }
  const answer = await invite(body)
  const [event, ...more] = (await client('GET /events', { query: { entityId: answer.data.memberId } })).data
  assert.equal(more.length, 0)
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['member.invited', 'member', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, {
    email: { to: body.email },
    role: { to: 'viewer' },
    lastName: { to: 'Papadopoulou' },
    permissions: { to: roleDefaults.viewer },
    hourlyCostCents: { changed: true },
  })
})

test('an e-mail and a role are enough: internal, nameless, with the defaults of the role and every property group', async () => {
  const coast = await make('property_groups', { name: 'Everywhere' })
  const { data } = await invite({ email: address(), role: 'member' })
  assert.deepEqual([data.firstName, data.lastName, data.memberType, data.departments], [null, null, 'internal', []])
  assert.deepEqual(data.permissions, roleDefaults.member)
  const found = await client('GET /members', { query: { offset: 0, propertyGroupIds: coast.id, search: data.email } })
  assert.deepEqual(found.data, [data])
})

test('someone invited can be given a task, and is refused as a caller until they join', async () => {
  const { data } = await invite({ email: address(), role: 'member' })
  const { key } = await keyFor(data.memberId)
  assert.equal((await client('GET /tasks', { key })).status, 401)
  assert.equal((await client('POST /members/{id}/activate', { id: data.memberId })).status, 200)
  assert.equal((await client('GET /tasks', { key })).status, 200)
  const assignable = await client('GET /members', { query: { offset: 0, statusFilter: 'assignable', search: data.email } })
  assert.equal(assignable.data.length, 1)
})

test('an e-mail that a member has already is 409 and names the member, whatever the case and whether they are suspended', async () => {
  const email = address()
  const taken = await member({ email, deactivatedAt: new Date() })
  for (const same of [email, email.toUpperCase()]) {
    const answer = await invite({ email: same, role: 'viewer' })
    assert.deepEqual(refusal(answer), [409, 'member_exists'])
    assert.deepEqual(answer.error.details, { field: 'email', memberId: taken.id })
  }
  const other = await organization(database)
  const elsewhere = await invite({ email, role: 'viewer' }, other.key)
  assert.equal(elsewhere.status, 200)
  assert.notEqual(elsewhere.data.userId, taken.userId)
})

test('of two invitations of one e-mail at once, one stands', async () => {
  for (let round = 0; round < 4; round++) {
    const email = address()
    const answers = await Promise.all([
      invite({ email, role: 'viewer' }),
      otherNode('POST /members', { body: { email: email.toUpperCase(), role: 'member' } }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  }
})

test('a refused invitation leaves nothing behind, under an Idempotency-Key neither', async () => {
  // Users whom this file's server made: others make theirs meanwhile.
  const countUsers = async () =>
    (await db.rows<{ n: number }>(sql`select count(*)::int as n from users where created_at = ${now}`))[0]!.n
  const before = await countUsers()
  const email = address()
  await member({ email })
  const call = { body: { email, role: 'viewer' }, headers: { 'idempotency-key': v7() } }
  for (const replayed of [undefined, 'true']) {
    const answer = await client('POST /members', call)
    assert.deepEqual([answer.status, answer.headers['idempotency-replayed']], [409, replayed])
  }
  assert.equal((await invite({ email: address(), role: 'viewer', departmentIds: [v7()] })).status, 422)
  assert.equal(await countUsers(), before)
})

test('every wrong department and property group is named at once, also those of another organization', async () => {
  const other = await organization(database)
  const theirs = {
    department: await other.make('departments', {}),
    group: await other.make('property_groups', { name: 'Coast' }),
  }
  const mine = await make('departments', { name: 'Mine' })
  const answer = await invite({
    email: address(),
    role: 'viewer',
    departmentIds: [mine.id, v7(), theirs.department.id],
    propertyGroupIds: [theirs.group.id],
  })
  assert.deepEqual(refusal(answer), [422, 'invalid_reference'])
  assert.deepEqual(answer.error.details.fields.map(({ field }: { field: string }) => field).sort(), [
    'departmentIds.1',
    'departmentIds.2',
    'propertyGroupIds.0',
  ])
})

test('nobody invites someone above them, or with permissions that they or their key lack', async () => {
  const { key } = await keyFor((await member({ role: 'manager', permissions: roleDefaults.manager })).id)
  assert.deepEqual(refusal(await invite({ email: address(), role: 'admin' }, key)), [403, 'role_above_yours'])
  const withMore = await invite({ email: address(), role: 'custom', permissions: ['account_admin'] }, key)
  assert.deepEqual([...refusal(withMore), withMore.error.details.permissions], [403, 'permission_not_yours', ['account_admin']])
  assert.equal((await invite({ email: address(), role: 'manager' }, key)).status, 200)
  const weak = (await keyFor(owner.id, { permissions: ['manage_users', 'view_tasks'] })).key
  assert.deepEqual(refusal(await invite({ email: address(), role: 'viewer' }, weak)), [403, 'permission_not_yours'])
  assert.equal((await invite({ email: address(), role: 'owner', permissions: ['view_tasks'] }, weak)).status, 200)
})

const valid = { email: 'valid@casa.example', role: 'viewer' }
const broken: [body: Record<string, unknown>, ...issues: string[]][] = [
  [{}, 'email required', 'role required'],
  [{ email: 'casa.example', role: 'viewer' }, 'email format'],
  [{ email: 'a b@casa.example', role: 'viewer' }, 'email format'],
  [{ email: '', role: 'viewer' }, 'email format'],
  [{ email: null, role: 'viewer' }, 'email type'],
  [{ email: `${'a'.repeat(490)}@casa.example`, role: 'viewer' }, 'email max_length'],
  [{ email: 'a\0@casa.example', role: 'viewer' }, 'email pattern'],
  [{ ...valid, role: 'boss' }, 'role enum'],
  [{ ...valid, permissions: ['fly'] }, 'permissions.0 enum'],
  [{ ...valid, firstName: '' }, 'firstName min_length'],
  [{ ...valid, firstName: 'x'.repeat(501) }, 'firstName max_length'],
  [{ ...valid, lastName: null }, 'lastName type'],
  [{ ...valid, lastName: '\ud800' }, 'lastName encoding'],
  [{ ...valid, memberType: 'guest' }, 'memberType enum'],
  [{ ...valid, departmentIds: ['cleaning'] }, 'departmentIds.0 format'],
  [{ ...valid, departmentIds: v7() }, 'departmentIds type'],
  [{ ...valid, propertyGroupIds: Array.from({ length: 201 }, () => v7()) }, 'propertyGroupIds max_items'],
  [{ ...valid, hourlyCostCents: -1 }, 'hourlyCostCents minimum'],
  [{ ...valid, hourlyCostCents: 12.5 }, 'hourlyCostCents type'],
  [{ ...valid, hourlyBillableCents: 1_000_000_001 }, 'hourlyBillableCents maximum'],
  [{ ...valid, isActive: true, joinedAt: '2026-01-01T00:00:00Z' }, 'isActive unknown', 'joinedAt unknown'],
]
for (const [body, ...issues] of broken)
  test(`${JSON.stringify(body).slice(0, 70)} is 400 and says why`, async () => {
    const answer = await invite(body)
    assert.equal(answer.status, 400, answer.text)
    const found = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    assert.deepEqual(
      found.sort(),
      issues.map((issue) => `body.${issue}`),
    )
  })
