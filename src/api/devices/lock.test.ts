import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubleProvider, hang, snapshot, succeeded } from '../../../test/double-provider.ts'
import { type Answer, clientOf, server, testServer } from '../../../test/helper.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/provider.ts'

const { providers, script, moves } = doubleProvider()
const env = { STEWARD_PROVIDER_TIMEOUT_MS: '600' }
const { client, make, key } = await testServer({ providers, env })
const otherNode = clientOf(server({ providers, env }).app, key)
const account = await make('integration_accounts', { provider: 'seam' })
let n = 0
const lock = async (columns = {}) => {
  n++
  const externalId = `door-${n}`
  return make('devices', { type: 'lock', integrationAccountId: account.id, externalId, provider: 'seam', ...columns })
}
const fails = (code: ProviderErrorCode) => () => Promise.reject(new ProviderError(code, 'as the provider says it'))
const commandOf = async (id: string) => (await client('GET /device-commands/{id}', { id })).data
const onlyCommand = async (id: string) => {
  const { data } = await client('GET /devices/{id}/commands', { id })
  assert.equal(data.length, 1)
  return data[0]
}
const eventsOf = async (id: string): Promise<string[]> =>
  (await client('GET /events', { query: { entityId: id } })).data.map(({ type }: { type: string }) => type)
const outcome = ({ status, data, error }: Answer) => [status, data?.success, data?.state, error?.code]

test('a lock that was read locked after the bolt moved has succeeded, and shows locked', async () => {
  const { id } = await lock()
  script.move = async () => succeeded('locked')

  const answer = await client('POST /devices/{id}/lock', { id })

  assert.deepEqual(outcome(answer), [200, true, 'succeeded', undefined])
  const command = await commandOf(answer.data.commandId)
  assert.deepEqual(
    [command.kind, command.state, command.observedLockState, command.errorCode],
    ['lock', 'succeeded', 'locked', null],
  )
  assert.ok(command.createdAt <= command.sentAt && command.sentAt <= command.finishedAt)
  assert.deepEqual(await eventsOf(command.id), ['device_command.created', 'device_command.succeeded'])
  const device = await client('GET /devices/{id}', { id })
  assert.equal(device.data.deviceState.lock.state, 'locked')
})

test('a lock that was read leaves the issues, the climate and the battery as they are known', async () => {
  const observedAt = '2026-06-01T10:00:00.000Z'
  const known = {
    climate: { temperatureC: 20, humidityPercent: 40 },
    issues: [{ code: 'tamper', message: 'The cover is off.' }],
  }
  const before = { lock: { state: 'unlocked', doorOpen: false }, ...known, observedAt, live: true }
  const { id } = await lock({ deviceState: before, batteryLevel: 40, batteryUpdatedAt: observedAt, online: true })
  script.move = async () => succeeded('locked')

  assert.deepEqual(outcome(await client('POST /devices/{id}/lock', { id })), [200, true, 'succeeded', undefined])

  const { deviceState, batteryLevel, batteryUpdatedAt } = (await client('GET /devices/{id}', { id })).data
  // What is kept is as old as it was.
  assert.deepEqual(deviceState, { ...before, lock: { state: 'locked', doorOpen: false }, live: false })
  assert.deepEqual([batteryLevel, batteryUpdatedAt], [40, observedAt])
})

test("the provider's word alone is not believed: the lock is looked at", async () => {
  const { id } = await lock()
  script.move = async () => succeeded(null)
  let looks = 0
  script.refresh = async () => snapshot(++looks === 1 ? 'unlocked' : 'locked')
  script.outcome = async () => succeeded(null)

  assert.deepEqual(outcome(await client('POST /devices/{id}/lock', { id })), [200, true, 'succeeded', undefined])
  assert.equal(looks, 2)
})

test('a lock that is not seen locked within the limit is pending, and never shown as locked', async () => {
  const { id } = await lock()
  script.move = async () => succeeded(null)
  script.refresh = async () => snapshot('unlocked')
  script.outcome = async () => succeeded(null)

  const answer = await client('POST /devices/{id}/lock', { id })

  assert.deepEqual(outcome(answer), [200, true, 'pending', undefined])
  assert.equal((await client('GET /devices/{id}', { id })).data.deviceState.lock.state, 'unlocked')
  const second = await client('POST /devices/{id}/unlock', { id })
  assert.deepEqual([second.error.code, second.error.details.commandId], ['command_in_progress', answer.data.commandId])
})

test('an answer that is lost is made up for by looking', async () => {
  const { id } = await lock()
  script.move = async () => ({ state: 'pending', ref: null })
  script.refresh = async () => snapshot('locked')
  assert.deepEqual(outcome(await client('POST /devices/{id}/lock', { id })), [200, true, 'succeeded', undefined])
})

test('a provider slower than the limit leaves the command pending, and the answer comes within it', async () => {
  const { id } = await lock()
  script.move = hang
  const began = performance.now()
  const answer = await client('POST /devices/{id}/lock', { id })
  assert.ok(performance.now() - began < 5_000, 'not for ever')
  assert.deepEqual(outcome(answer), [200, true, 'pending', undefined])
})

for (const code of ['unavailable', 'auth_failed', 'rate_limited', 'bad_response', 'timeout'] as const) {
  test(`a provider that fails with ${code} is 503, and the stored command says so`, async () => {
    const { id } = await lock()
    script.move = fails(code)
    const answer = await client('POST /devices/{id}/lock', { id })
    assert.deepEqual(outcome(answer), [503, undefined, undefined, 'provider_unavailable'])
    assert.deepEqual([answer.error.details.reason, answer.headers['retry-after']], [code, '1'])
    const command = await onlyCommand(id)
    assert.deepEqual([command.state, command.errorCode, command.sentAt], ['failed', code, null])
    assert.deepEqual(await eventsOf(command.id), ['device_command.created', 'device_command.failed'])
  })
}

test('the time that a provider asks for is the Retry-After, between a second and an hour', async () => {
  const cases: [number | undefined, string][] = [
    [7_000, '7'],
    [1_200, '2'],
    [undefined, '1'],
    [0, '1'],
    [-5, '1'],
    [Number.NaN, '1'],
    [Infinity, '3600'],
    [1e12, '3600'],
  ]
  for (const [retryAfter, header] of cases) {
    const limited = () => Promise.reject(new ProviderError('rate_limited', 'slow down', { retryAfter }))
    Object.assign(script, {
      move: limited,
      refresh: limited,
      list: () => ({ [Symbol.asyncIterator]: () => ({ next: limited }) }),
    })
    const { id } = await lock()
    for (const [route, target] of [
      ['POST /devices/{id}/lock', id],
      ['POST /devices/{id}/refresh', id],
      ['POST /integrations/{id}/sync', account.id],
    ] as const) {
      const { status, error, headers } = await client(route, { id: target })
      assert.deepEqual(
        [status, error.code, error.details.reason, headers['retry-after']],
        [503, 'provider_unavailable', 'rate_limited', header],
        route,
      )
    }
  }
  delete script.list
})

for (const code of ['device_offline', 'rejected', 'unsupported', 'jammed'] as const) {
  test(`a device that answers ${code} is the outcome of the command`, async () => {
    const { id } = await lock()
    script.move = async () => ({ state: 'failed', ref: 'r', error: { code, message: 'as it is' } })
    const answer = await client('POST /devices/{id}/lock', { id })
    assert.deepEqual(outcome(answer), [200, false, 'failed', undefined])
    const command = await commandOf(answer.data.commandId)
    assert.deepEqual([command.errorCode, command.errorMessage], [code, 'as it is'])
  })
}

test('what no retry can help is 422', async () => {
  script.move = fails('device_not_found')
  const refused = async (columns: object) =>
    (await client('POST /devices/{id}/lock', { id: (await lock(columns)).id })).error?.code
  assert.equal(await refused({}), 'device_unknown_to_provider')
  const before = moves.length
  const other = await make('integration_accounts', { provider: 'zigbee2mqtt' })
  assert.equal(await refused({ type: 'light' }), 'device_is_no_lock')
  assert.equal(await refused({ isArchived: true }), 'device_archived')
  assert.equal(await refused({ enableRemoteControls: false }), 'remote_controls_disabled')
  assert.equal(await refused({ integrationAccountId: null }), 'device_not_connected')
  assert.equal(await refused({ externalId: null }), 'device_not_connected')
  assert.equal(await refused({ integrationAccountId: other.id }), 'device_not_connected')
  assert.equal(moves.length, before, 'nothing was sent')
})

test('a service that was too slow to send sends no more', async () => {
  const { id } = await lock()
  let late = 0
  const seam = {
    ...providers.seam,
    connect(...given: Parameters<typeof providers.seam.connect>) {
      late = 700
      return providers.seam.connect(...given)
    },
  }
  const clock = () => new Date(Date.UTC(2100, 0, 1) + late)
  const slowNode = clientOf(server({ providers: { seam }, env, clock }).app, key)
  const before = moves.length
  const { data } = await slowNode('POST /devices/{id}/lock', { id })
  assert.equal(data.success, false)
  const command = await commandOf(data.commandId)
  assert.deepEqual([command.errorCode, command.sentAt, moves.length], ['not_sent', null, before])
})

test('20 identical requests at once over two nodes send one command', async () => {
  const { id, externalId } = await lock()
  script.move = () => new Promise((resolve) => setTimeout(() => resolve(succeeded('locked')), 100))
  const headers = { 'idempotency-key': `rush ${id}` }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? client : otherNode)('POST /devices/{id}/lock', { id, headers })),
  )
  assert.equal(moves.filter((sent) => sent === `lock ${externalId}`).length, 1)
  const ids = new Set(answers.flatMap(({ data }) => data?.commandId ?? []))
  assert.equal(ids.size, 1)
  for (const { status, error } of answers) assert.ok(status === 200 || error.code === 'idempotency_in_progress', error?.code)
  const again = await client('POST /devices/{id}/lock', { id, headers })
  assert.deepEqual([again.data.state, again.headers['idempotency-replayed']], ['succeeded', 'true'])
})

test('20 requests at once without a key move the bolt once; the others hear what is in progress', async () => {
  const { id, externalId } = await lock()
  script.move = () => new Promise((resolve) => setTimeout(() => resolve(succeeded('locked')), 300))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? client : otherNode)('POST /devices/{id}/lock', { id })),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(moves.filter((sent) => sent === `lock ${externalId}`).length, done.length)
  assert.ok(done.length >= 1)
  for (const { status, error } of answers) assert.ok(status === 200 || error.code === 'command_in_progress')
})
