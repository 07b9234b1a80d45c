import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test('a deleted account is gone, and its devices are archived with what is known of them', async () => {
  const account = await make('integration_accounts', { provider: 'simulated', name: 'Old' })
  const device = await make('devices', { name: 'Door', type: 'lock', integrationAccountId: account.id, externalId: 'd' })
  const answer = await client('DELETE /integrations/{id}', { id: account.id })
  assert.deepEqual([answer.status, answer.data], [200, { success: true }])
  assert.equal((await client('GET /integrations/{id}', { id: account.id })).error.code, 'integration_not_found')
  const { data } = await client('GET /devices/{id}', { id: device.id })
  assert.deepEqual([data.name, data.isArchived], ['Door', true])
  const events = await client('GET /events', { query: { entityId: account.id } })
  assert.deepEqual([events.data[0].type, events.data[0].changes.devices], ['integration.deleted', { archived: [device.id] }])
  assert.equal((await client('DELETE /integrations/{id}', { id: account.id })).status, 404)
})
