import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { doubleProvider, hang } from '../../../test/double-provider.ts'
import { clientOf, server, testServer } from '../../../test/helper.ts'
import { ProviderError } from '../../providers/provider.ts'

const { providers: double, script } = doubleProvider()
const providers = { seam: { ...double.seam, settings: Type.Object({ apiKey: Type.String() }) } }
const env = () => ({ STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64'), STEWARD_PROVIDER_TIMEOUT_MS: '300' })
const { client, key, make } = await testServer({ providers, env: env() })
const { id } = (await client('POST /integrations', { body: { provider: 'seam', settings: { apiKey: 'hush' } } })).data
const check = () => client('POST /integrations/{id}/test', { id })

test('an account that works says so', async () => {
  script.check = async () => {}
  assert.deepEqual((await check()).data, { ok: true, error: null })
})

test('a provider that refuses, or hangs, is an answer', async () => {
  script.check = () => Promise.reject(new ProviderError('auth_failed', 'The key is revoked.'))
  const refused = await check()
  assert.deepEqual(
    [refused.status, refused.data],
    [200, { ok: false, error: { code: 'auth_failed', message: 'The key is revoked.' } }],
  )
  script.check = hang
  assert.equal((await check()).data.error.code, 'timeout')
})

test('under another encryption key the account counts as not connected, for tests, syncs and devices alike', async () => {
  const other = clientOf(server({ providers, env: env() }).app, key)
  const tested = await other('POST /integrations/{id}/test', { id })
  assert.deepEqual([tested.status, tested.data.ok, tested.data.error.code], [200, false, 'not_connected'])
  assert.equal((await other('POST /integrations/{id}/sync', { id })).error.code, 'integration_not_connected')
  const device = await make('devices', { type: 'lock', integrationAccountId: id, externalId: 'd' })
  assert.equal((await other('POST /devices/{id}/refresh', { id: device.id })).error.code, 'device_not_connected')
})
