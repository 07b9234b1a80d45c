import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

type Query = NonNullable<Call['query']>

const { client, make, member, owner, database } = await testServer()

const cleans = await make('departments', { name: 'Cleans' })
const repairs = await make('departments', { name: 'Repairs' })
const coast = await make('property_groups', { name: 'Coast' })
const aurora = await make('properties', { name: 'Aurora', propertyGroupId: coast.id })
const boreal = await make('properties', { name: 'Boreal' })
const stay = await make('reservations', { propertyId: aurora.id })
const turnover = await make('task_templates', { name: 'Turnover', departmentId: cleans.id })
const ines = await member({ firstName: 'Inês' })
const rui = await member({ firstName: 'Rui' })

const clean = await make('tasks', {
  name: 'Límpeza 100% _a',
  departmentId: cleans.id,
  propertyId: aurora.id,
  propertyGroupId: coast.id,
  reservationId: stay.id,
  templateId: turnover.id,
  assigneeUserId: ines.userId,
  collaborators: [rui.userId, owner.userId as string],
  due: '2026-06-01T12:00:00Z',
  status: 'in_progress',
  priority: 'high',
  createdAt: '2026-01-01T00:00:01Z',
})
const repair = await make('tasks', {
  name: 'Repair the tap',
  departmentId: repairs.id,
  propertyId: boreal.id,
  collaborators: [ines.userId],
  due: '2026-06-02T12:00:00.001Z',
  status: 'not_started',
  priority: 'urgent',
  isBlocking: true,
  createdAt: '2026-01-01T00:00:02Z',
})
const idea = await make('tasks', {
  name: 'Paint the hall',
  departmentId: repairs.id,
  status: 'triage',
  createdAt: '2026-01-01T00:00:03Z',
})
const dropped = await make('tasks', {
  name: 'Paint the door',
  departmentId: repairs.id,
  propertyId: aurora.id,
  status: 'triage',
  deletedAt: '2026-02-01T00:00:00Z',
  createdAt: '2026-01-01T00:00:04Z',
})

const other = await organization(database)
const theirDepartment = await other.make('departments', { name: 'Cleans' })
const theirHouse = await other.make('properties')
const theirs = await other.make('tasks', { name: 'Paint', departmentId: theirDepartment.id, propertyId: theirHouse.id })

const list = (query: Query = {}) => client('GET /tasks', { query })

async function assertFound(cases: [Query, { id: string }[]][]): Promise<void> {
  for (const [query, expected] of cases) {
    const answer = await list(query)
    assert.deepEqual(
      ids(answer),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
    assert.equal(answer.meta.pagination.total, expected.length)
  }
}

test('tasks are listed oldest first with their items and cost, each as it is read by id', async () => {
  await make('task_items', { taskId: clean.id, description: 'Beds', rank: 0 })
  await make('cost_items', { taskId: clean.id, costType: 'other', totalCostCents: 700, incurredAt: new Date() })

  const answer = await list({ includeDeleted: true })

  assert.deepEqual(ids(answer), [clean.id, repair.id, idea.id, dropped.id])
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 4 })
  assert.equal(answer.data[0].items[0].description, 'Beds')
  assert.equal(answer.data[0].totalCost, 700)
  for (const row of answer.data) assert.deepEqual((await client('GET /tasks/{id}', { id: row.id })).data, row)
})

test('deleted tasks are left out unless asked for', () =>
  assertFound([
    [{}, [clean, repair, idea]],
    [{ includeDeleted: false }, [clean, repair, idea]],
    [{ includeDeleted: true }, [clean, repair, idea, dropped]],
    [{ ids: dropped.id }, []],
    [{ ids: dropped.id, includeDeleted: true }, [dropped]],
  ]))

test('each filter keeps what it names', () =>
  assertFound([
    [{ ids: [idea.id, clean.id, v7()] }, [clean, idea]],
    [{ ids: [theirs.id, 'no uuid'] }, []],
    [{ propertyIds: aurora.id }, [clean]],
    [{ propertyIds: [aurora.id, boreal.id] }, [clean, repair]],
    [{ propertyIds: theirHouse.id }, []],
    [{ propertyGroupIds: coast.id }, [clean]],
    [{ departmentIds: repairs.id }, [repair, idea]],
    [{ departmentIds: [repairs.id, cleans.id] }, [clean, repair, idea]],
    [{ departmentIds: theirDepartment.id }, []],
    [{ assigneeUserIds: ines.userId }, [clean]],
    [{ assigneeUserIds: [ines.userId, rui.userId] }, [clean]],
    [{ assigneeUserIds: ines.id }, []],
    [{ collaboratorUserIds: ines.userId }, [repair]],
    [{ collaboratorUserIds: [rui.userId, ines.userId] }, [clean, repair]],
    [{ collaboratorUserIds: owner.userId as string }, [clean]],
    [{ collaboratorUserIds: 'no uuid' }, []],
    [{ reservationIds: stay.id }, [clean]],
    [{ templateIds: turnover.id }, [clean]],
    [{ statuses: 'triage' }, [idea]],
    [{ statuses: ['triage', 'in_progress'] }, [clean, idea]],
    [{ statuses: 'completed' }, []],
    [{ priorities: 'urgent' }, [repair]],
    [{ priorities: ['urgent', 'high'] }, [clean, repair]],
    [{ isBlocking: true }, [repair]],
    [{ isBlocking: false }, [clean, idea]],
    [{ isUnassigned: true }, [repair, idea]],
    [{ isUnassigned: false }, [clean]],
  ]))

test('filters given together must all hold', () =>
  assertFound([
    [{ departmentIds: repairs.id, isUnassigned: true, statuses: ['triage', 'not_started'], nameContains: 'paint' }, [idea]],
    [{ departmentIds: repairs.id, includeDeleted: true, nameContains: 'paint' }, [idea, dropped]],
    [{ propertyIds: aurora.id, reservationIds: stay.id, templateIds: turnover.id, dueBefore: '2026-06-02T00:00:00Z' }, [clean]],
    [{ propertyIds: aurora.id, isBlocking: true }, []],
  ]))

test('due: from is inclusive, before exclusive, to the millisecond and with any offset', () =>
  assertFound([
    [{ dueFrom: '2026-06-02T12:00:00.001Z' }, [repair]],
    [{ dueFrom: '2026-06-02T12:00:00.002Z' }, []],
    [{ dueBefore: '2026-06-02T12:00:00.001Z' }, [clean]],
    [{ dueBefore: '2026-06-02T12:00:00.002Z' }, [clean, repair]],
    [{ dueFrom: '2026-06-01T14:00+02:00', dueBefore: '2026-06-01T07:00:00.001-05:00' }, [clean]],
    [{ dueFrom: '2026-06-02T00:00:00Z', dueBefore: '2026-06-01T00:00:00Z' }, []],
  ]))

test('nameContains minds neither case nor accents and takes wildcards literally', () =>
  assertFound([
    [{ nameContains: 'limpeza' }, [clean]],
    [{ nameContains: 'PÁINT' }, [idea]],
    [{ nameContains: '0%' }, [clean]],
    [{ nameContains: '_a' }, [clean]],
    [{ nameContains: 'p_int' }, []],
    [{ nameContains: 'Paint%hall' }, []],
    [{ nameContains: '' }, [clean, repair, idea]],
  ]))

test('pages follow each other', async () => {
  const answer = await list({ limit: 1, offset: 1 })
  assert.deepEqual(ids(answer), [repair.id])
  assert.deepEqual(answer.meta.pagination, { limit: 1, offset: 1, total: 3 })
})

test('bounds: what lies outside is refused by name', async () => {
  const cases: [Query, string][] = [
    [{ limit: 101 }, 'query.limit'],
    [{ statuses: 'done' }, 'query.statuses.0'],
    [{ priorities: 'highest' }, 'query.priorities.0'],
    [{ dueFrom: '2026-06-01' }, 'query.dueFrom'],
    [{ dueBefore: '2026-06-31T00:00:00Z' }, 'query.dueBefore'],
    [{ includeDeleted: '1' }, 'query.includeDeleted'],
    [{ collaboratorUserIds: Array.from({ length: 201 }, () => v7()) }, 'query.collaboratorUserIds'],
    [{ nameContains: 'x'.repeat(501) }, 'query.nameContains'],
  ]
  for (const [query, path] of cases) {
    const answer = await list(query)
    assert.equal(answer.status, 400, JSON.stringify(query))
    assert.equal(answer.error.details.issues[0].path, path)
  }
})
