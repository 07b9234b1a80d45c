import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test('an account answers as it was listed, and an id that none has is 404', async () => {
  const { id } = await make('integration_accounts', { provider: 'seam', name: 'Cloud' })
  const { data } = await client('GET /integrations/{id}', { id })
  assert.deepEqual((await client('GET /integrations')).data, [data])
  assert.equal((await client('GET /integrations/{id}', { id: v7() })).error.code, 'integration_not_found')
})
