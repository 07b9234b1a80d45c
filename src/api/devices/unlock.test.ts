import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleProvider, snapshot, succeeded } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'

const { providers, script, moves } = doubleProvider()
const { client, make } = await testServer({ providers, env: { STEWARD_PROVIDER_TIMEOUT_MS: '600' } })
const account = await make('integration_accounts', { provider: 'seam' })

test('unlocking sends its own movement and succeeds when the lock is seen unlocked', async () => {
  const { id } = await make('devices', { type: 'lock', integrationAccountId: account.id, externalId: 'gate' })
  script.move = async () => succeeded('unlocked')

  const { data } = await client('POST /devices/{id}/unlock', { id })

  assert.deepEqual([data.success, data.state, moves], [true, 'succeeded', ['unlock gate']])
  assert.equal((await client('GET /devices/{id}', { id })).data.deviceState.lock.state, 'unlocked')
})

test('a bolt that is seen jammed has failed', async () => {
  const { id } = await make('devices', { type: 'lock', integrationAccountId: account.id, externalId: 'shed' })
  script.move = async () => succeeded(null)
  script.refresh = async () => snapshot('jammed')
  const { data } = await client('POST /devices/{id}/unlock', { id })
  const command = await client('GET /device-commands/{id}', { id: data.commandId })
  assert.deepEqual([data.success, command.data.errorCode, command.data.observedLockState], [false, 'jammed', 'jammed'])
})
