import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { doubleProvider } from '../../../test/double-provider.ts'
import { clientOf, server, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { providers: double } = doubleProvider()
const settings = Type.Object({ apiKey: Type.String({ minLength: 5 }), port: Type.Optional(Type.Integer()) })
const providers = { seam: { ...double.seam, settings } }
const STEWARD_ENCRYPTION_KEY = randomBytes(32).toString('base64')
const { client, key, database } = await testServer({ providers, env: { STEWARD_ENCRYPTION_KEY } })
const add = (body: object) => client('POST /integrations', { body })
const secret = 'hush-hush-0815'

test('an account is stored with its settings encrypted, and no answer and no event holds them', async () => {
  const made = await add({ provider: 'seam', name: 'Cloud', settings: { apiKey: secret } })
  assert.equal(made.status, 200, made.text)
  const { id, provider, name, hasSettings, deviceCount, lastSyncedAt } = made.data
  assert.deepEqual([provider, name, hasSettings, deviceCount, lastSyncedAt], ['seam', 'Cloud', true, 0, null])

  const events = await client('GET /events', { query: { entityId: id } })
  assert.equal(events.data[0].type, 'integration.created')
  const texts = [made, events, await client('GET /integrations/{id}', { id }), await client('GET /integrations')]
  for (const { text } of texts) assert.ok(!text.includes(secret))
  const [row] = await database
    .reader()
    .db.rows<{ credentials: Buffer }>(sql`select credentials from integration_accounts where id = ${id}`)
  assert.ok(row!.credentials.length > 29 && !row!.credentials.includes(secret))
})

test('settings that the provider does not take are refused all at once, and none of their values is repeated', async () => {
  const answer = await add({ provider: 'seam', settings: { apiKey: 'hush', port: 'x', apikey: secret } })
  assert.deepEqual([answer.status, answer.error.code], [422, 'invalid_settings'])
  assert.deepEqual(answer.error.details.issues.map(({ path }: { path: string }) => path).sort(), [
    'body.settings.apiKey',
    'body.settings.apikey',
    'body.settings.port',
  ])
  assert.ok(!answer.text.includes('hush'))
  const missing = await add({ provider: 'seam' })
  assert.deepEqual(missing.error.details.issues[0], { path: 'body.settings.apiKey', code: 'required', message: 'is required' })
})

test('a provider that Steward does not connect to is refused with those it does', async () => {
  const answer = await add({ provider: 'manual' })
  assert.deepEqual([answer.status, answer.error.code], [422, 'provider_not_connectable'])
  assert.deepEqual(answer.error.details.allowed, ['seam'])
})

test('without an encryption key an account is refused, and the error says what to do', async () => {
  const { app } = server({ providers })
  const answer = await clientOf(app, key)('POST /integrations', { body: { provider: 'seam', settings: { apiKey: secret } } })
  assert.deepEqual([answer.status, answer.error.code], [422, 'encryption_key_missing'])
  assert.match(answer.error.message, /STEWARD_ENCRYPTION_KEY/)
})

test('a request repeated under its Idempotency-Key adds one account', async () => {
  const call = { body: { provider: 'seam', settings: { apiKey: secret } }, headers: { 'idempotency-key': 'one' } }
  const [first, again] = [await client('POST /integrations', call), await client('POST /integrations', call)]
  assert.equal(first.data.id, again.data.id)
})
