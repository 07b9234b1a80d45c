import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { openLog } from './log.ts'

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
