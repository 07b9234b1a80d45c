import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import Type from 'typebox'
import { doubleProvider } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'
import { ProviderError } from '../../providers/provider.ts'

const { seam } = doubleProvider().providers
const settings = Type.Object({ apiKey: Type.String({ minLength: 4 }) })
const providers = {
  seam: {
    ...seam,
    settings,
    connect: (given: { apiKey?: string }) => ({
      ...seam.connect({}, undefined as never),
      check: async () => {
        if (given.apiKey !== 'good') throw new ProviderError('auth_failed', 'no')
      },
    }),
  },
}
const env = { STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const { client } = await testServer({ providers, env })
const add = async () =>
  (await client('POST /integrations', { body: { provider: 'seam', name: 'A', settings: { apiKey: 'evil' } } })).data.id as string
const update = (id: string, data: object) => client('PATCH /integrations/{id}', { id, body: { data } })
const works = async (id: string) => (await client('POST /integrations/{id}/test', { id })).data.ok

test('new settings are used from the next call on, and the event does not tell them', async () => {
  const id = await add()
  assert.equal(await works(id), false)
  assert.equal((await update(id, { settings: { apiKey: 'good' } })).status, 200)
  assert.equal(await works(id), true)
  const { data } = await client('GET /events', { query: { entityId: id, types: 'integration.updated' } })
  assert.deepEqual(data[0].changes, { settings: { changed: true } })
})

test('a name is changed or taken away, and the settings stay', async () => {
  const id = await add()
  await update(id, { settings: { apiKey: 'good' } })
  const renamed = (await update(id, { name: 'B' })).data
  assert.deepEqual([renamed.name, await works(id)], ['B', true])
  assert.equal((await update(id, { name: null })).data.name, null)
  assert.deepEqual((await update(id, { name: null })).data, (await update(id, {})).data)
})

test('settings that the provider does not take change nothing', async () => {
  const id = await add()
  const answer = await update(id, { name: 'C', settings: { apiKey: 'x' } })
  assert.deepEqual([answer.status, answer.error.details.issues[0].path], [422, 'body.settings.apiKey'])
  assert.equal((await client('GET /integrations/{id}', { id })).data.name, 'A')
})
