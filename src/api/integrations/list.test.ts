import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ids, organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()

test('accounts come oldest first, with the number of their devices that are not archived', async () => {
  const cloud = await make('integration_accounts', { provider: 'seam', createdAt: '2026-01-01T00:00:00Z' })
  const hub = await make('integration_accounts', { provider: 'zigbee2mqtt', name: 'Hub', createdAt: '2026-01-02T00:00:00Z' })
  await make('devices', { integrationAccountId: hub.id })
  await make('devices', { integrationAccountId: hub.id, isArchived: true })
  await (await organization(database)).make('integration_accounts', { provider: 'seam' })

  const all = await client('GET /integrations')
  assert.deepEqual(ids(all), [cloud.id, hub.id])
  assert.deepEqual(
    all.data.map(({ deviceCount, hasSettings }: Record<string, unknown>) => [deviceCount, hasSettings]),
    [
      [0, false],
      [1, false],
    ],
  )
  assert.deepEqual(ids(await client('GET /integrations', { query: { providers: 'seam' } })), [cloud.id])
  assert.deepEqual(ids(await client('GET /integrations', { query: { limit: 1, offset: 1 } })), [hub.id])
})
