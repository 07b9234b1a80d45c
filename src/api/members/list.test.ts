import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, type Call, organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

type Query = Record<string, string | number | readonly string[]>

const { client, make, member, keyFor, owner: olga, database } = await testServer()

const at = (second: number) => new Date(Date.UTC(2100, 0, 1, 0, 0, second))
const maria = await member({
  firstName: 'María José',
  lastName: "O'Neil",
  email: 'mj@casa.example',
  role: 'manager',
  createdAt: at(1),
})
const sokratis = await member({
  firstName: 'Σωκράτης',
  lastName: 'Παπάς',
  email: 'Sokratis@Casa.example',
  joinedAt: null,
  createdAt: at(2),
})
const taro = await member({
  firstName: '太郎',
  lastName: '田中',
  memberType: 'external',
  role: 'field_team_member',
  createdAt: at(3),
})
const visitor = await member({
  firstName: 'Łukasz "100%_\\"',
  lastName: 'Müller-Straße',
  email: 'l_m%@mail.example',
  memberType: 'external',
  joinedAt: null,
  role: 'viewer',
  createdAt: at(4),
})
const gone = await member({ lastName: 'Ødegård', email: 'gone@casa.example', deactivatedAt: at(9), createdAt: at(5) })
const withdrawn = await member({ memberType: 'external', joinedAt: null, deactivatedAt: at(9), createdAt: at(6) })
const everyone = [olga, maria, sokratis, taro, visitor, gone, withdrawn]

const cleaning = await make('departments', { name: 'Limpieza' })
const garden = await make('departments', { name: 'Garden' })
const closed = await make('departments', { name: 'Closed', archivedAt: at(0) })
for (const [department, { id }] of [
  [cleaning, maria],
  [cleaning, taro],
  [garden, maria],
  [closed, gone],
] as const)
  await make('department_members', { departmentId: department.id, memberId: id })

const coast = await make('property_groups', { name: 'Coast' })
const hills = await make('property_groups', { name: 'Hills' })
const everywhere = [olga, sokratis, gone, withdrawn]
for (const [group, { id }] of [
  [coast, maria],
  [coast, taro],
  [hills, taro],
  [hills, visitor],
] as const)
  await make('member_property_groups', { propertyGroupId: group.id, memberId: id })

const nightShift = await make('user_groups', { name: 'Night shift' })
const drivers = await make('user_groups', { name: 'Drivers' })
await make('user_group_members', { userGroupId: nightShift.id, memberId: sokratis.id })
await make('user_group_members', { userGroupId: drivers.id, memberId: taro.id })

const other = await organization(database)
const theirs = {
  member: await other.member({ firstName: 'María José', userId: maria.userId }),
  department: await other.make('departments', { name: 'Limpieza' }),
  propertyGroup: await other.make('property_groups', { name: 'Coast' }),
  userGroup: await other.make('user_groups', { name: 'Night shift' }),
}
await other.make('department_members', { departmentId: theirs.department.id, memberId: theirs.member.id })
await other.make('member_property_groups', { propertyGroupId: theirs.propertyGroup.id, memberId: theirs.member.id })
await other.make('user_group_members', { userGroupId: theirs.userGroup.id, memberId: theirs.member.id })

const list = (query: Query = {}, call: Call = {}) => client('GET /members', { query: { offset: 0, ...query }, ...call })
const memberIds = ({ data }: Answer): string[] => data.map(({ memberId }: { memberId: string }) => memberId)

async function finds(query: Query, expected: readonly { id: string }[]): Promise<void> {
  const answer = await list(query)
  assert.equal(answer.status, 200, answer.text)
  const inOrder = everyone.filter((one) => expected.includes(one))
  assert.deepEqual(
    memberIds(answer),
    inOrder.map(({ id }) => id),
    JSON.stringify(query),
  )
  assert.equal(answer.meta.pagination.total, expected.length, JSON.stringify(query))
}

test('members are listed oldest first, each as it is read by id', async () => {
  await finds({}, everyone)
  const answer = await list()
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 7 })
  for (const row of answer.data) assert.deepEqual((await client('GET /members/{id}', { id: row.memberId })).data, row)
})

test('members of any of the departments are found, of an archived one too where it is asked for', async () => {
  await finds({ departmentIds: cleaning.id }, [maria, taro])
  await finds({ departmentIds: [cleaning.id, garden.id] }, [maria, taro])
  await finds({ departmentIds: garden.id }, [maria])
  await finds({ departmentIds: closed.id }, [gone])
})

test('members with access to any of the property groups are found, and those without access rows for every group', async () => {
  await finds({ propertyGroupIds: coast.id }, [maria, taro, ...everywhere])
  await finds({ propertyGroupIds: hills.id }, [taro, visitor, ...everywhere])
  await finds({ propertyGroupIds: [coast.id, hills.id, v7()] }, everyone)
})

test('members of any of the user groups are found', async () => {
  await finds({ userGroupIds: nightShift.id }, [sokratis])
  await finds({ userGroupIds: [nightShift.id, drivers.id] }, [sokratis, taro])
})

test("unknown ids, another organization's and texts that are no id match nothing", async () => {
  const unknown = {
    departmentIds: theirs.department.id,
    propertyGroupIds: theirs.propertyGroup.id,
    userGroupIds: theirs.userGroup.id,
  }
  for (const [name, foreign] of Object.entries(unknown))
    for (const id of [foreign, v7(), 'no-uuid', '', "'; drop table members", `{${maria.id}}`]) await finds({ [name]: id }, [])
})

test('members with any of the roles are found', async () => {
  await finds({ roleFilter: 'owner' }, [olga])
  await finds({ roleFilter: ['manager', 'viewer'] }, [maria, visitor])
  await finds({ roleFilter: 'custom' }, [])
})

test('each status finds those who are in it', async () => {
  await finds({ statusFilter: 'active' }, [olga, maria, taro])
  await finds({ statusFilter: 'invited' }, [sokratis, visitor])
  await finds({ statusFilter: 'inactive' }, [gone, withdrawn])
  await finds({ statusFilter: 'external' }, [taro, visitor, withdrawn])
  await finds({ statusFilter: 'assignable' }, [olga, maria, sokratis, taro])
})

test('search finds a part of the name or of the e-mail, whatever the case and accents', async () => {
  const cases: [string, { id: string }[]][] = [
    ['maria', [maria]],
    ['MARÍA JOSÉ', [maria]],
    ['mari\u0301a', [maria]],
    ["jose o'n", [maria]],
    ["O'Neil María", []],
    ['σωκρατησ', [sokratis]],
    ['ΠΑΠΑΣ', [sokratis]],
    ['sokratis@casa', [sokratis]],
    ['田', [taro]],
    ['太郎 田中', [taro]],
    ['lukasz', [visitor]],
    ['muller-strasse', [visitor]],
    ['odegard', [gone]],
    ['casa.EXAMPLE', [maria, sokratis, gone]],
    ['maria nobody', []],
    ['', everyone],
  ]
  for (const [search, expected] of cases) await finds({ search }, expected)
})

test('wildcards, quotes and backslashes in a search stand for themselves', async () => {
  const cases: [string, { id: string }[]][] = [
    ['%', [visitor]],
    ['_', [visitor]],
    ['\\', [visitor]],
    ['"', [visitor]],
    ['100%_\\', [visitor]],
    ['l_m%@', [visitor]],
    ["'", [maria]],
    ['m%a', []],
    ['mar_a', []],
    ["' or true --", []],
  ]
  for (const [search, expected] of cases) await finds({ search }, expected)
})

test('filters given together must all hold', async () => {
  await finds({ departmentIds: cleaning.id, propertyGroupIds: hills.id }, [taro])
  await finds({ departmentIds: cleaning.id, roleFilter: ['manager', 'owner'], search: 'josé' }, [maria])
  await finds({ statusFilter: 'assignable', propertyGroupIds: coast.id, search: 'casa' }, [maria, sokratis])
  await finds({ userGroupIds: drivers.id, statusFilter: 'external' }, [taro])
  await finds({ userGroupIds: drivers.id, statusFilter: 'invited' }, [])
})

test('pages follow each other, and one beyond the end is empty with the true total', async () => {
  const pages = await Promise.all([0, 3, 6].map((offset) => list({ limit: 3, offset })))
  assert.deepEqual(
    pages.flatMap(memberIds),
    everyone.map(({ id }) => id),
  )
  assert.deepEqual(pages[2]!.meta.pagination, { limit: 3, offset: 6, total: 7 })
  const beyond = await list({ offset: Number.MAX_SAFE_INTEGER, statusFilter: 'active' })
  assert.deepEqual([beyond.data, beyond.meta.pagination.total], [[], 3])
})

test('what breaks the contract is 400, and every broken constraint is named', async () => {
  const many = (name: string, count: number) => Array.from({ length: count }, () => `${name}=x`).join('&')
  const cases: [string, ...string[]][] = [
    ['', 'offset required'],
    ['limit=10', 'offset required'],
    ['offset=', 'offset type'],
    ['offset=-1', 'offset minimum'],
    ['offset=9007199254740992', 'offset maximum'],
    ['offset=0&offset=0', 'offset repeated'],
    ['offset=0&limit=0', 'limit minimum'],
    ['offset=0&limit=101', 'limit maximum'],
    ['offset=0&limit=1.5', 'limit type'],
    ['offset=0&limit=abc', 'limit type'],
    [`offset=0&${many('departmentIds', 201)}`, 'departmentIds max_items'],
    [`offset=0&${many('propertyGroupIds', 201)}`, 'propertyGroupIds max_items'],
    [`offset=0&${many('userGroupIds', 201)}`, 'userGroupIds max_items'],
    [`offset=0&search=${'x'.repeat(501)}`, 'search max_length'],
    ['offset=0&search=%00', 'search pattern'],
    ['offset=0&search=%FF', 'search encoding'],
    ['offset=0&roleFilter=owner&roleFilter=chief', 'roleFilter.1 enum'],
    ['offset=0&roleFilter=owner,admin', 'roleFilter.0 enum'],
    ['offset=0&statusFilter=asleep', 'statusFilter enum'],
    ['offset=0&statusFilter=active&statusFilter=invited', 'statusFilter repeated'],
    ['offset=0&role=owner', 'role unknown'],
    ['limit=0&roleFilter=chief&page=2', 'limit minimum', 'offset required', 'page unknown', 'roleFilter.0 enum'],
  ]
  for (const [query, ...expected] of cases) {
    const answer = await client('GET /members', { query })
    assert.equal(answer.status, 400, query)
    assert.equal(answer.error.type, 'validation_error')
    const issues = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort()
    assert.deepEqual(
      issues,
      expected.map((issue) => `query.${issue}`),
      query,
    )
  }
})

test('the bounds themselves are fine', async () => {
  const ids = Array.from({ length: 200 }, () => v7())
  for (const query of [
    { limit: 1 },
    { limit: 100 },
    { offset: Number.MAX_SAFE_INTEGER },
    { departmentIds: ids, propertyGroupIds: ids, userGroupIds: ids },
  ])
    assert.equal((await list(query)).status, 200)
})

test('a member without view_users is refused', async () => {
  const blind = await other.member({ permissions: permissions.filter((permission) => permission !== 'view_users') })
  const answer = await list({}, { key: (await other.keyFor(blind.id)).key })
  assert.equal(answer.status, 403)
  assert.equal(answer.error.type, 'authorization_error')
  assert.equal((await list({}, { key: (await keyFor(olga.id, { permissions: ['view_users'] })).key })).status, 200)
})
