import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

type Query = NonNullable<Call['query']>

const { client, make, database } = await testServer()

const cleans = await make('departments', { name: 'Cleans' })
const repairs = await make('departments', { name: 'Repairs' })
const turnover = await make('task_templates', {
  name: 'Turnover à fond',
  departmentId: cleans.id,
  createdAt: '2026-01-01T00:00:01Z',
})
const boiler = await make('task_templates', {
  name: 'Boiler 100% check_up',
  departmentId: repairs.id,
  createdAt: '2026-01-01T00:00:02Z',
})
const gone = await make('task_templates', {
  name: 'Turnover, old',
  departmentId: cleans.id,
  deletedAt: '2026-02-01T00:00:00Z',
  createdAt: '2026-01-01T00:00:03Z',
})
const group = await make('task_template_groups', { templateId: turnover.id, titleText: 'Kitchen' })
await make('checklist_items', { templateId: turnover.id, groupId: group.id, descriptionText: 'Oven' })

const other = await organization(database)
const theirDepartment = await other.make('departments', { name: 'Cleans' })
const theirs = await other.make('task_templates', { name: 'Turnover', departmentId: theirDepartment.id })

const list = (query: Query = {}) => client('GET /task-templates', { query })

test('templates are listed oldest first with groups and items, each as it is read by id', async () => {
  const answer = await list({ includeDeleted: true })

  assert.deepEqual(ids(answer), [turnover.id, boiler.id, gone.id])
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 3 })
  assert.equal(answer.data[0].groups[0].checklistItems[0].descriptionText, 'Oven')
  for (const row of answer.data) assert.deepEqual((await client('GET /task-templates/{id}', { id: row.id })).data, row)
})

test('each filter keeps what it names', async () => {
  const cases: [Query, { id: string }[]][] = [
    [{}, [turnover, boiler]],
    [{ includeDeleted: false }, [turnover, boiler]],
    [{ ids: [boiler.id, turnover.id, v7()] }, [turnover, boiler]],
    [{ ids: gone.id }, []],
    [{ ids: gone.id, includeDeleted: true }, [gone]],
    [{ ids: [theirs.id, 'no uuid'], includeDeleted: true }, []],
    [{ departmentIds: cleans.id }, [turnover]],
    [{ departmentIds: [cleans.id, repairs.id] }, [turnover, boiler]],
    [{ departmentIds: theirDepartment.id }, []],
    [{ nameContains: 'A FOND' }, [turnover]],
    [{ nameContains: '0%' }, [boiler]],
    [{ nameContains: 'k_u' }, [boiler]],
    [{ nameContains: 'T_rn' }, []],
    [{ nameContains: '' }, [turnover, boiler]],
    [{ nameContains: 'turnover', departmentIds: cleans.id, includeDeleted: true }, [turnover, gone]],
    [{ nameContains: 'turnover', departmentIds: repairs.id }, []],
    [{ limit: 1, offset: 2, includeDeleted: true }, [gone]],
  ]
  for (const [query, expected] of cases) {
    assert.deepEqual(
      ids(await list(query)),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
  }
})

test('bounds: what lies outside is refused by name', async () => {
  const cases: [Query, string][] = [
    [{ limit: 0 }, 'query.limit'],
    [{ ids: Array.from({ length: 201 }, () => v7()) }, 'query.ids'],
    [{ includeDeleted: 'yes' }, 'query.includeDeleted'],
  ]
  for (const [query, path] of cases) {
    const answer = await list(query)
    assert.equal(answer.status, 400)
    assert.equal(answer.error.details.issues[0].path, path)
  }
})
