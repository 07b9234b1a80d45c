import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test('a device that is no lock and has no battery has neither in its simulation', async () => {
  const account = await make('integration_accounts', { provider: 'simulated' })
  const { id } = await make('devices', { type: 'hub', online: false, integrationAccountId: account.id, externalId: 'hub' })
  const { data } = await client('GET /devices/{id}/simulation', { id })
  assert.deepEqual(data, { online: false, batteryPercent: null, lockState: null, delayMs: 0, fault: 'none' })
})
