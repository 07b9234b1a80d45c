import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test('a rule is deleted once, and its event says what it was', async () => {
  const department = await make('departments', { name: 'Repairs' })
  const { id: taskTemplateId } = await make('task_templates', { name: 'Look', departmentId: department.id })
  const { id } = (await client('POST /device-alert-rules', { body: { kind: 'stale', taskTemplateId } })).data
  assert.deepEqual((await client('DELETE /device-alert-rules/{id}', { id })).data, { success: true })
  const again = await client('DELETE /device-alert-rules/{id}', { id })
  assert.deepEqual([again.status, again.error.code], [404, 'device_alert_rule_not_found'])
  assert.deepEqual((await client('GET /device-alert-rules')).data, [])
  const { data } = await client('GET /events', { query: { entityId: id, types: 'device_alert_rule.deleted' } })
  assert.deepEqual(data[0].changes, { kind: { from: 'stale' }, taskTemplateId: { from: taskTemplateId } })
})
