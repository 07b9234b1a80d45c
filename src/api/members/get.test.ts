import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, member, owner, database } = await testServer()
const other = await organization(database)

const read = (id: string) => client('GET /members/{id}', { id })

test('a member answers exactly the fields of the contract, without the departments that are archived', async () => {
  const ines = await member({
    firstName: 'Inês "Nê"',
    lastName: 'Conceição',
    email: 'ines@casa.example',
    avatarUrl: 'https://images.example/ines.png',
    role: 'field_supervisor',
    permissions: ['view_tasks', 'modify_tasks'],
    joinedAt: new Date('2026-03-01T08:00:00.250Z'),
    hourlyCostCents: 1500,
  })
  const named = await make('departments', { name: 'Limpeza \\ "A"', createdAt: '2026-01-01T00:00:01Z' })
  const nameless = await make('departments', { createdAt: '2026-01-01T00:00:00Z' })
  const archived = await make('departments', { name: 'Old', archivedAt: new Date() })
  for (const { id } of [named, nameless, archived]) await make('department_members', { departmentId: id, memberId: ines.id })

  const answer = await read(ines.id)

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, {
    memberId: ines.id,
    userId: ines.userId,
    firstName: 'Inês "Nê"',
    lastName: 'Conceição',
    email: 'ines@casa.example',
    avatarUrl: 'https://images.example/ines.png',
    isActive: true,
    joinedAt: '2026-03-01T08:00:00.250Z',
    memberType: 'internal',
    role: 'field_supervisor',
    permissions: ['view_tasks', 'modify_tasks'],
    departments: [
      { id: nameless.id, name: null },
      { id: named.id, name: 'Limpeza \\ "A"' },
    ],
  })
})

test('a member of whom nothing is known answers nulls and empty lists', async () => {
  const someone = await member({ joinedAt: null, permissions: [], memberType: 'external' })

  const { data } = await read(someone.id)

  assert.deepEqual([data.firstName, data.lastName, data.email, data.avatarUrl, data.joinedAt], [null, null, null, null, null])
  assert.deepEqual([data.permissions, data.departments, data.memberType], [[], [], 'external'])
})

test('only who has joined and is not deactivated is active', async () => {
  const active = async (columns: Record<string, Date | null>) => (await read((await member(columns)).id)).data.isActive
  assert.equal(await active({}), true)
  assert.equal(await active({ joinedAt: null }), false)
  assert.equal(await active({ deactivatedAt: new Date() }), false)
  assert.equal(await active({ joinedAt: null, deactivatedAt: new Date() }), false)
})

test('a user id names the same member as the member id, whatever its case', async () => {
  const byMember = await read(owner.id)
  assert.deepEqual((await read(owner.userId)).data, byMember.data)
  assert.deepEqual((await read(owner.userId.toUpperCase())).data, byMember.data)
})

test('a user who is a member of two organizations is each one’s own member', async () => {
  await other.member({ userId: owner.userId, firstName: 'Theirs' })
  assert.equal((await read(owner.userId)).data.firstName, 'Olga')
})

test("another organization's member does not exist, by either id", async () => {
  const theirs = await other.member({ firstName: 'Theirs' })
  for (const id of [theirs.id, theirs.userId, v7()]) {
    const answer = await read(id)
    assert.equal(answer.status, 404)
    assert.equal(answer.error.code, 'member_not_found')
  }
})

test('an id that is no UUID is 400', async () => {
  for (const id of ['1', owner.id.replaceAll('-', ''), `{${owner.id}}`, `urn:uuid:${owner.id}`]) {
    const answer = await read(id)
    assert.equal(answer.status, 400, id)
    assert.equal(answer.error.details.issues[0].path, 'params.id')
  }
})
