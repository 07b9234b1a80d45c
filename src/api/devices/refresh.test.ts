import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleProvider, hang, snapshot } from '../../../test/double-provider.ts'
import { clientOf, server, testServer } from '../../../test/helper.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/provider.ts'

const { providers, script } = doubleProvider()
const { client, make, key } = await testServer({ providers, env: { STEWARD_PROVIDER_TIMEOUT_MS: '400' } })
const account = await make('integration_accounts', { provider: 'seam' })
let n = 0
const device = (columns = {}) =>
  make('devices', { type: 'lock', integrationAccountId: account.id, externalId: `d-${++n}`, ...columns })
const refresh = (id: string) => client('POST /devices/{id}/refresh', { id })
const lastCommand = async (id: string) => (await client('GET /devices/{id}/commands', { id })).data.at(-1)

test('what was seen is answered, and the next read agrees', async () => {
  const { id } = await device({ enableRemoteControls: false })
  const observedAt = new Date('2026-06-01T10:00:00.000Z')
  const reportedAt = new Date('2026-06-01T09:00:00.000Z')
  const climate = { temperatureC: 21.5, humidityPercent: 40 }
  script.refresh = async () => snapshot('locked', { observedAt, climate, battery: { percent: 73.5, reportedAt } })

  const { status, data } = await refresh(id)

  assert.deepEqual([status, data.online, data.batteryLevel, data.enableRemoteControls], [200, true, 73.5, false])
  assert.equal(data.batteryUpdatedAt, reportedAt.toISOString())
  const lock = { state: 'locked', doorOpen: false }
  assert.deepEqual(data.deviceState, { lock, climate, issues: [], observedAt: observedAt.toISOString(), live: true })
  assert.ok(data.healthCheck <= data.updatedAt)
  const { updatedAt: _u, enableRemoteControls: _e, ...shared } = data
  assert.deepEqual((await client('GET /devices/{id}', { id })).data, shared)
  const command = await lastCommand(id)
  assert.deepEqual([command.kind, command.state, command.observedLockState], ['refresh', 'succeeded', 'locked'])
})

test('a device that its provider cannot reach is a good answer: offline, and what is known stays as old as it is', async () => {
  const observedAt = '2026-06-01T10:00:00.000Z'
  const issues = [{ code: 'tamper', message: 'The cover is off.' }]
  const deviceState = { lock: { state: 'locked', doorOpen: false }, climate: null, issues, observedAt, live: true }
  const { id } = await device({ online: true, batteryLevel: 50, deviceState })
  script.refresh = async () => snapshot(null, { online: false, live: false, issues })
  const polled = await refresh(id)
  assert.deepEqual([polled.status, polled.data.online, polled.data.batteryLevel], [200, false, 50])
  assert.deepEqual(polled.data.deviceState, { ...deviceState, live: false })

  script.refresh = () => Promise.reject(new ProviderError('device_offline', 'no radio'))
  const unheard = (await refresh(id)).data
  assert.deepEqual([unheard.online, unheard.deviceState], [false, { ...deviceState, live: false }])
})

for (const code of [
  'unavailable',
  'auth_failed',
  'rate_limited',
  'timeout',
  'bad_response',
] as const satisfies ProviderErrorCode[]) {
  test(`a provider that fails with ${code} is 503, and the device stays as it was`, async () => {
    const { id } = await device({ online: true })
    script.refresh = () => Promise.reject(new ProviderError(code, 'away'))
    const { status, error, headers } = await refresh(id)
    assert.deepEqual([status, error.code, error.details.reason, headers['retry-after']], [503, 'provider_unavailable', code, '1'])
    assert.equal((await client('GET /devices/{id}', { id })).data.online, true)
    assert.deepEqual([(await lastCommand(id)).state, (await lastCommand(id)).errorCode], ['failed', code])
  })
}

test('a provider that hangs is 503 within the limit, and what it says later counts for nothing', async () => {
  const { id } = await device()
  script.refresh = hang
  const began = performance.now()
  assert.equal((await refresh(id)).status, 503)
  assert.ok(performance.now() - began < 5_000, 'not for ever')
})

test('more polls hang than the pool has connections, and reads are answered all the same', async () => {
  const { id } = await device()
  script.refresh = hang
  const hanging = Array.from({ length: 12 }, () => refresh(id))
  await new Promise((resolve) => setTimeout(resolve, 100))
  let ended = false
  void Promise.all(hanging).then(() => {
    ended = true
  })
  assert.equal((await client('GET /devices/{id}', { id })).status, 200)
  assert.equal(ended, false)
  for (const answer of await Promise.all(hanging)) assert.equal(answer.status, 503)
})

test('a provider that hangs takes its share of the places, never those of reads or of another account', async () => {
  // Ten of the places are for commands, and an account takes as many as it leaves free.
  const env = { STEWARD_PROVIDER_TIMEOUT_MS: '3000', STEWARD_MAX_IN_FLIGHT: '20' }
  const small = clientOf(server({ providers, env }).app, key)
  const [{ id, externalId }, other] = [await device(), await make('integration_accounts', { provider: 'seam' })]
  const { id: door } = await device({ integrationAccountId: other.id })
  let polls = 0
  const end: (() => void)[] = []
  const hangs = () =>
    new Promise<never>((_, reject) => {
      polls++
      end.push(() => reject(new ProviderError('unavailable', 'it hung')))
    })
  script.refresh = (asked) => (asked === externalId ? hangs() : Promise.resolve(snapshot('locked')))
  script.check = hangs
  script.list = async function* () {
    yield await hangs()
  }

  const hanging = [
    small('POST /devices/{id}/refresh', { id }),
    small('POST /integrations/{id}/test', { id: account.id }),
    small('POST /integrations/{id}/sync', { id: account.id }),
    small('POST /devices/{id}/refresh', { id }),
    small('POST /devices/{id}/refresh', { id }),
  ]
  while (polls < 5) await new Promise((resolve) => setTimeout(resolve, 5))
  const before = (await small('GET /devices/{id}/commands', { id })).data.length
  for (const route of ['POST /devices/{id}/refresh', 'POST /devices/{id}/lock', 'POST /devices/{id}/unlock']) {
    const refused = await small(route, { id, headers: { 'idempotency-key': route } })
    assert.deepEqual([refused.status, refused.error?.code, refused.headers['retry-after']], [503, 'overloaded', '1'], route)
  }
  for (const verb of ['test', 'sync'])
    assert.equal((await small(`POST /integrations/{id}/${verb}`, { id: account.id })).error.code, 'overloaded', verb)
  assert.equal((await small('GET /devices/{id}/commands', { id })).data.length, before, 'nothing is stored')
  assert.equal(polls, 5, 'nothing is sent')
  assert.equal((await small('POST /devices/{id}/refresh', { id: door })).status, 200, "another account's command")

  for (const stop of end) stop()
  for (const { status } of await Promise.all(hanging)) assert.ok(status === 503 || status === 200)
  script.refresh = async () => snapshot('locked')
  const key503 = { id, headers: { 'idempotency-key': 'POST /devices/{id}/refresh' } }
  assert.equal((await small('POST /devices/{id}/refresh', key503)).status, 200, 'the places are free again, and the key')
})

test('a device its provider does not know, and one of no connected account, are 422', async () => {
  script.refresh = () => Promise.reject(new ProviderError('device_not_found', 'who?'))
  assert.equal((await refresh((await device()).id)).error.code, 'device_unknown_to_provider')
  assert.equal((await refresh((await device({ integrationAccountId: null })).id)).error.code, 'device_not_connected')
})

test('a repeated request under its key is answered again and polls once', async () => {
  const { id } = await device()
  let polls = 0
  script.refresh = async () => snapshot('locked', { battery: { percent: ++polls, reportedAt: null } })
  const headers = { 'idempotency-key': 'poll' }
  const first = await client('POST /devices/{id}/refresh', { id, headers })
  const again = await client('POST /devices/{id}/refresh', { id, headers })
  assert.deepEqual([first.data, polls, again.headers['idempotency-replayed']], [again.data, 1, 'true'])
})
