import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import Type from 'typebox'
import { testServer } from '../test/helper.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { openLog } from './log.ts'
import type { Provider } from './providers/provider.ts'
import { seam } from './providers/seam/seam.ts'
import { simulated } from './providers/simulated.ts'
import { zigbee2mqtt } from './providers/zigbee2mqtt/zigbee2mqtt.ts'

const directory = mkdtempSync(join(tmpdir(), 'steward-log-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const key = `sk_live_${'a1'.repeat(24)}`

/** What the log wrote, as text. */
function logged(write: (log: ReturnType<typeof openLog>['log']) => void, terminal = false): string {
  const file = join(directory, `${Math.random()}.log`)
  const fd = openSync(file, 'w')
  const { log, flush } = openLog({ level: 'info', fd, terminal })
  write(log)
  flush()
  const text = readFileSync(file, 'utf8')
  if (terminal) closeSync(fd)
  return text
}

test('lines are JSON with level and time, and kept together until they are flushed', () => {
  const [line, ...more] = logged((log) =>
    log.child({ requestId: 'req_1' }).info({ route: 'GET /devices', status: 200 }, 'request'),
  )
    .trim()
    .split('\n')
  assert.deepEqual(more, [])
  const { time, ...rest } = JSON.parse(line!)
  assert.deepEqual(rest, { level: 'info', requestId: 'req_1', route: 'GET /devices', status: 200, msg: 'request' })
  assert.ok(Math.abs(Date.now() - Date.parse(time)) < 60_000)
})

test('on a terminal a line is for people', () => {
  assert.match(
    logged((log) => log.info({ status: 200 }, 'request'), true),
    /INFO.*request/,
  )
})

test('an API key is never written, wherever it stands', () => {
  const write = (log: ReturnType<typeof openLog>['log']) => {
    log.info({ authorization: `Bearer ${key}`, deep: { er: [key] } }, `a key: ${key}`)
    log.error({ err: new Error(`bad key ${key}`) }, 'failed')
  }
  for (const terminal of [false, true]) {
    const text = logged(write, terminal)
    assert.ok(!text.includes(key.slice(8)))
    assert.match(text, /sk_live_\[redacted\]/)
  }
})

test('what opens an account elsewhere is never written, at whatever depth and in whatever text it stands', () => {
  const secret = 'hush-hush/42'
  const account = {
    apiKey: secret,
    password: secret,
    Authorization: `Basic ${secret}`,
    url: `mqtts://steward:${secret}@hub:8883/x`,
  }
  const write = (log: ReturnType<typeof openLog>['log']) => {
    log.info({ settings: { deep: [secret] }, credentials: Buffer.from(secret), account }, 'top')
    log.info({ a: { b: [{ c: account, settings: secret, 'x-api-key': secret }] }, encryptionKey: secret }, 'deep')
    log.info(`connecting to mqtt://steward:${secret}@hub with ${JSON.stringify(account)}`)
    log.info(`authorization: Bearer ${secret}, password=${secret}; apiKey: '${secret}'`)
    const cause = Object.assign(new Error(`refused https://${secret}@seam.example`), { config: { headers: account } })
    log.error(
      { err: new Error(`no connection with ${JSON.stringify({ password: secret })}`, { cause }), config: account },
      'failed',
    )
  }
  for (const terminal of [false, true]) {
    const text = logged(write, terminal)
    assert.ok(!text.includes('hush'), text)
    assert.ok(text.includes('hub:8883/x') && text.includes('seam.example') && text.includes('no connection'))
  }
  assert.ok(
    JSON.parse(logged((log) => log.info({ password: null, note: 'the password is wrong' }, 'kept'))).note.endsWith('wrong'),
  )
})

test('what POST /integrations is given never appears in the log, at level trace, whatever goes wrong with it', async () => {
  const secret = 'hush-hush-4711'
  const file = join(directory, 'trace.log')
  const { log, flush } = openLog({ level: 'trace', fd: openSync(file, 'w'), terminal: false })
  const { database, key: owner } = await testServer()
  const config = readConfig({ STEWARD_ENCRYPTION_KEY: randomBytes(32).toString('base64'), STEWARD_PROVIDER_TIMEOUT_MS: '1000' })
  let wrong = (): void => {}
  const clumsy: Provider = {
    ...simulated,
    settings: Type.Object({ apiKey: Type.String() }),
    connect(settings, around) {
      wrong()
      const failing = async () => {
        throw Object.assign(new Error(`cannot list with ${JSON.stringify(settings)}`), { config: { settings } })
      }
      return {
        ...simulated.connect({}, around),
        check: failing,
        list: () => ({ [Symbol.asyncIterator]: () => ({ next: failing }) }),
      }
    },
  }
  const app = buildApp({ database, config, log, providers: { seam, zigbee2mqtt, simulated: clumsy } })
  after(() => app.close())
  const send = async (method: 'POST' | 'PATCH', path: string, payload?: object | string) => {
    const headers = { authorization: `Bearer ${owner}`, 'content-type': 'application/json' }
    return app.inject({ method, url: `/api/v1/integrations${path}`, headers, ...(payload ? { payload } : {}) })
  }
  const nowhere = 'http://127.0.0.1:1'

  for (const body of [
    { provider: 'seam', settings: { apiKey: secret, endpoint: nowhere } },
    { provider: 'zigbee2mqtt', settings: { url: 'mqtt://127.0.0.1:1', username: secret, password: secret } },
    { provider: 'simulated', settings: { apiKey: secret } },
  ]) {
    const { id } = (await send('POST', '', body)).json().data
    await send('POST', `/${id}/test`)
    await send('POST', `/${id}/sync`)
    await send('PATCH', `/${id}`, { data: { settings: { apiKey: secret, unknown: secret } } })
    wrong = () => {
      throw new TypeError(`Invalid URL ${secret}`)
    }
    await send('PATCH', `/${id}`, { data: { settings: { ...body.settings, apiKey: `${secret}2` } } })
    await send('POST', `/${id}/sync`)
    wrong = () => {}
  }
  await send('POST', '', { provider: 'seam', settings: { apiKey: secret, [secret]: 1 } })
  await send('POST', '', { provider: 'manual', settings: { apiKey: secret } })
  await send('POST', '', `{"provider":"seam","settings":{"apiKey":"${secret}`)
  await send('POST', `?${secret}=1`, {})

  flush()
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes('POST /integrations') && text.includes('cannot list with'), 'the failures are told')
  assert.ok(
    !text.includes('hush'),
    text.split('\n').find((line) => line.includes('hush')),
  )
})

test('who a guest is and what opens a door is never written', () => {
  const text = logged((log) => {
    log.info({ guestEmail: 'ana@guest.example', fixedCode: '4711', body: { guestFirstName: 'Ana' } }, 'request')
    log.error({ req: { method: 'GET', url: '/search?query=Ana' } }, 'request')
  })
  for (const secret of ['ana', 'Ana', '4711']) assert.ok(!text.includes(secret), text)
  assert.ok(text.includes('"method":"GET"'))
})

test('an error of PostgreSQL is written without the values it quotes', () => {
  const error = (message: string, fields: object) =>
    Object.assign(new pg.DatabaseError(message, 0, 'error'), { severity: 'ERROR', ...fields })
  const text = logged((log) => {
    const detail = 'Key (email)=(ana@guest.example) already exists.'
    log.error(
      {
        err: error('duplicate key value violates unique constraint "members_email"', {
          code: '23505',
          detail,
          constraint: 'members_email',
        }),
      },
      'failed',
    )
    log.error({ err: error('value "4711\nAna" is out of range for type integer', { code: '22003' }) }, 'failed')
    log.error({ err: error('invalid input syntax for type uuid: "Ana"', { code: '22P02', routine: 'uuid_in' }) }, 'failed')
  })
  for (const secret of ['ana@', 'Ana', '4711']) assert.ok(!text.includes(secret), text)
  assert.ok(text.includes('violates unique constraint'))
  assert.ok(text.includes('log.test.ts'), 'the stack is there')
})
