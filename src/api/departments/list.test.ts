import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

type Query = Record<string, string | number | boolean | readonly string[]>

const { client, make, member, keyFor, owner: olga, database } = await testServer()

const cleans = await make('departments', { name: 'Limpieza y más', category: 'cleans', createdAt: '2026-01-01T00:00:01Z' })
const pool = await make('departments', {
  name: 'Pool',
  description: 'Pumps and water',
  category: 'maintenance',
  createdAt: '2026-01-01T00:00:02Z',
})
const closed = await make('departments', {
  name: 'Closed pool',
  category: 'maintenance',
  archivedAt: '2026-02-01T00:00:00Z',
  createdAt: '2026-01-01T00:00:03Z',
})
const odd = await make('departments', { name: '100%_\\"\'', category: 'other', createdAt: '2026-01-01T00:00:04Z' })
const nameless = await make('departments', { createdAt: '2026-01-01T00:00:05Z' })
const open = [cleans, pool, odd, nameless]
const all = [cleans, pool, closed, odd, nameless]

for (const [department, language, name, description] of [
  [pool, 'es', 'Piscina', 'Bombas y agua'],
  [pool, 'el', 'Πισίνες', null],
  [pool, 'ja', null, 'ポンプと水'],
  [cleans, 'en', 'Cleaning', null],
  [nameless, 'ar', 'الحديقة', null],
] as const)
  await make('department_translations', { departmentId: department.id, language, name, description })

const maria = await member({ firstName: 'María', lastName: 'Pérez' })
for (const department of [pool, closed, nameless])
  await make('department_members', { departmentId: department.id, memberId: maria.id })

const other = await organization(database)
const theirs = await other.make('departments', { name: 'Pool', category: 'maintenance' })
const theirMember = await other.member({ userId: maria.userId })
await other.make('department_members', { departmentId: theirs.id, memberId: theirMember.id })

const list = (query: Query = {}) => client('GET /departments', { query })

async function finds(query: Query, expected: readonly { id: string }[]): Promise<void> {
  const answer = await list(query)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(
    answer.data.map(({ id }: { id: string }) => id),
    all.filter((one) => expected.includes(one)).map(({ id }) => id),
    JSON.stringify(query),
  )
  assert.equal(answer.meta.pagination.total, expected.length, JSON.stringify(query))
}

test('departments are listed oldest first, without the archived', async () => {
  await finds({}, open)
  await finds({ includeArchived: false }, open)
  await finds({ includeArchived: true }, all)
  assert.deepEqual((await list()).meta.pagination, { limit: 50, offset: 0, total: 4 })
})

test('a department answers exactly the fields of the contract', async () => {
  const world = await organization(database)
  const times = { createdAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-03-02T09:30:00.125Z' }
  const fields = {
    name: 'Küche "A"',
    description: 'Pots\nand pans',
    category: 'guest_experience',
    color: '#00aa77',
    isMaintenance: false,
    autoAssignEnabled: true,
    assignmentMethod: 'round_robin',
    backupAssignmentMethod: 'manager',
    blockingPriority: 'high',
    archivedAt: '2026-04-01T00:00:00.000Z',
    ...times,
  }
  const kitchen = await world.make('departments', fields)
  const bare = await world.make('departments', times)

  const { data } = await client('GET /departments', { key: world.key, query: { includeArchived: true } })

  const counts = { activeTaskCount: 0, memberCount: 0, managerNames: [] }
  assert.deepEqual(data, [
    { id: kitchen.id, ...fields, ...counts },
    { id: bare.id, ...Object.fromEntries(Object.keys(fields).map((field) => [field, null])), ...times, ...counts },
  ])
})

test('tasks are counted until they are completed, cancelled or deleted', async () => {
  const department = await make('departments', { name: 'Counting', archivedAt: new Date() })
  for (const status of ['triage', 'not_started', 'in_progress', 'paused', 'completed', 'cancelled', null])
    await make('tasks', { name: 'Task', departmentId: department.id, status })
  for (const status of ['not_started', null])
    await make('tasks', { name: 'Task', departmentId: department.id, status, deletedAt: new Date() })
  await make('tasks', { name: 'Task', departmentId: cleans.id, status: 'triage' })

  const { data } = await list({ ids: department.id, includeArchived: true })

  assert.equal(data[0].activeTaskCount, 5)
})

test('members are counted until they are deactivated, and managers are named in order', async () => {
  const department = await make('departments', { name: 'Staffed', archivedAt: new Date() })
  const join = async (isManager: boolean, columns: Record<string, string | Date | null>) =>
    make('department_members', { departmentId: department.id, memberId: (await member(columns)).id, isManager })
  await join(true, { firstName: 'zoe', lastName: 'Adams' })
  await join(true, { firstName: 'Álvaro', lastName: 'Núñez', joinedAt: null })
  await join(true, { firstName: 'Björn "B"' })
  await join(true, { lastName: '田中', firstName: '' })
  await join(true, { email: 'nameless@casa.example' })
  await join(true, { firstName: 'Gone', deactivatedAt: new Date() })
  await join(false, { firstName: 'Abel' })

  const { data } = await list({ ids: department.id, includeArchived: true })

  assert.equal(data[0].memberCount, 6)
  assert.deepEqual(data[0].managerNames, ['Álvaro Núñez', 'Björn "B"', 'zoe Adams', '田中'])
})

test('each filter keeps what it names, and together they must all hold', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{ category: 'cleans' }, [cleans]],
    [{ category: 'maintenance' }, [pool]],
    [{ category: 'maintenance', includeArchived: true }, [pool, closed]],
    [{ category: 'inspections' }, []],
    [{ ids: odd.id }, [odd]],
    [{ ids: [odd.id, cleans.id, v7()] }, [cleans, odd]],
    [{ ids: closed.id }, []],
    [{ ids: [closed.id, theirs.id, 'no-uuid'], includeArchived: true }, [closed]],
    [{ ids: ['no-uuid', '', '{}'] }, []],
    [{ forMemberId: maria.id }, [pool, nameless]],
    [{ forMemberId: maria.userId }, [pool, nameless]],
    [{ forMemberId: maria.id, includeArchived: true }, [pool, closed, nameless]],
    [{ forMemberId: olga.id }, []],
    [{ forMemberId: theirMember.id }, []],
    [{ forMemberId: v7() }, []],
    [{ forMemberId: maria.userId, nameContains: 'POOL', category: 'maintenance', includeArchived: true }, [pool, closed]],
    [{ forMemberId: maria.id, ids: [cleans.id, nameless.id] }, [nameless]],
    [{ category: 'other', nameContains: 'pool' }, []],
  ]
  for (const [query, expected] of cases) await finds(query, expected)
})

test('name and description come in the language asked for, and what is not translated as it is stored', async () => {
  const shown = async (language?: string) => {
    const { data } = await list({ ids: [cleans.id, pool.id, nameless.id], ...(language ? { language } : {}) })
    return data.map((row: { name: string | null; description: string | null }) => [row.name, row.description])
  }
  const stored = { cleans: ['Limpieza y más', null], pool: ['Pool', 'Pumps and water'], nameless: [null, null] }
  assert.deepEqual(await shown(), [stored.cleans, stored.pool, stored.nameless])
  assert.deepEqual(await shown('es'), [stored.cleans, ['Piscina', 'Bombas y agua'], stored.nameless])
  assert.deepEqual(await shown('el'), [stored.cleans, ['Πισίνες', 'Pumps and water'], stored.nameless])
  assert.deepEqual(await shown('ja'), [stored.cleans, ['Pool', 'ポンプと水'], stored.nameless])
  assert.deepEqual(await shown('ar'), [stored.cleans, stored.pool, ['الحديقة', null]])
  for (const language of ['fr', 'nl', 'de', 'zh', 'it', 'bg', 'pt', 'cs', 'he'])
    assert.deepEqual(await shown(language), await shown(), language)
})

test('nameContains looks into the name that is shown, whatever the case and accents', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{ nameContains: 'MAS' }, [cleans]],
    [{ nameContains: 'más' }, [cleans]],
    [{ nameContains: '' }, open],
    [{ nameContains: 'water' }, []],
    [{ nameContains: 'pool', language: 'es' }, []],
    [{ nameContains: 'piscina' }, []],
    [{ nameContains: 'PÍSCINA', language: 'es' }, [pool]],
    [{ nameContains: 'limpieza', language: 'es' }, [cleans]],
    [{ nameContains: 'πισινεσ', language: 'el' }, [pool]],
    [{ nameContains: 'pool', language: 'ja' }, [pool]],
    [{ nameContains: 'حديقة', language: 'ar' }, [nameless]],
    [{ nameContains: '%' }, [odd]],
    [{ nameContains: '_' }, [odd]],
    [{ nameContains: '\\' }, [odd]],
    [{ nameContains: '\\"\'' }, [odd]],
    [{ nameContains: 'p__l' }, []],
    [{ nameContains: 'P%l' }, []],
  ]
  for (const [query, expected] of cases) await finds(query, expected)
})

test('pages follow each other, and one beyond the end is empty with the true total', async () => {
  await Promise.all(open.map(async ({ id }, offset) => assert.equal((await list({ limit: 1, offset })).data[0].id, id)))
  const beyond = await list({ offset: Number.MAX_SAFE_INTEGER })
  assert.deepEqual(beyond.data, [])
  assert.deepEqual(beyond.meta.pagination, { limit: 50, offset: Number.MAX_SAFE_INTEGER, total: 4 })
})

test('what breaks the contract is 400, and every broken constraint is named', async () => {
  const cases: [string, ...string[]][] = [
    ['limit=0', 'limit minimum'],
    ['limit=101', 'limit maximum'],
    ['limit=1.5', 'limit type'],
    ['limit=abc', 'limit type'],
    ['offset=-1', 'offset minimum'],
    ['offset=9007199254740992', 'offset maximum'],
    ['category=cleaning', 'category enum'],
    ['category=cleans&category=other', 'category repeated'],
    ['forMemberId=me', 'forMemberId format'],
    [`forMemberId=${maria.id.replaceAll('-', '')}`, 'forMemberId format'],
    ['includeArchived=1', 'includeArchived type'],
    ['language=xx', 'language enum'],
    ['language=EN', 'language enum'],
    [`nameContains=${'x'.repeat(501)}`, 'nameContains max_length'],
    ['nameContains=%00', 'nameContains pattern'],
    [Array.from({ length: 201 }, () => 'ids=x').join('&'), 'ids max_items'],
    ['name=Pool', 'name unknown'],
    ['sort=name&limit=0&language=xx&forMemberId=', 'forMemberId format', 'language enum', 'limit minimum', 'sort unknown'],
  ]
  for (const [query, ...expected] of cases) {
    const answer = await client('GET /departments', { query })
    assert.equal(answer.status, 400, query)
    assert.equal(answer.error.type, 'validation_error')
    const issues = answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort()
    assert.deepEqual(
      issues,
      expected.map((issue) => `query.${issue}`),
      query,
    )
  }
  const fine = { limit: 100, offset: Number.MAX_SAFE_INTEGER, ids: Array.from({ length: 200 }, () => 'any string') }
  assert.equal((await list(fine)).status, 200)
})

test('a member without view_tasks is refused', async () => {
  const { key } = await keyFor((await member({ permissions: ['view_users'] })).id)
  assert.equal((await client('GET /departments', { key })).status, 403)
})
