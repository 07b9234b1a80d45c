import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ids, organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()

test("the organization's rules are listed as they were made, a page at a time, and no other's", async () => {
  const department = await make('departments', { name: 'Repairs' })
  const { id: taskTemplateId } = await make('task_templates', { name: 'Look', departmentId: department.id })
  const rules = []
  for (const kind of ['stale', 'jammed', 'offline'])
    rules.push((await client('POST /device-alert-rules', { body: { kind, taskTemplateId } })).data)
  const all = await client('GET /device-alert-rules')
  assert.deepEqual([all.data, all.meta.pagination.total], [rules, 3])
  assert.deepEqual(ids(await client('GET /device-alert-rules', { query: { limit: 1, offset: 2 } })), [rules[2].id])
  const { key } = await organization(database)
  assert.deepEqual((await client('GET /device-alert-rules', { key })).data, [])
})
