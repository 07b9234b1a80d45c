import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, get as httpGet } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '../src/db/embedded.ts'
import { startService, steward } from './command.ts'
import { createDatabase } from './database.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'steward-front-door-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
const env = { STEWARD_DATA_DIR: dataDir }
const slug = 'casa-aurora'

let service = await startService(env)
const firstKey = service.key!

test('the first start loads the demo organization and prints where it is and a key for it', async () => {
  assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
  assert.ok(service.lines.includes(`Docs     ${service.url.replace('/api/v1', '/docs')}`))
  assert.match(firstKey, /^sk_test_\w{40,}$/)
  assert.ok(
    service.lines.findIndex((line) => line.startsWith('loading the demo')) <
      service.lines.findIndex((line) => line.startsWith('API')),
  )

  const answer = await service.get('/organization')
  assert.equal(answer.status, 200)
  assert.equal(((await answer.json()) as { data: { slug: string } }).data.slug, slug)
})

test('the demo key is kept where only its owner can read it, and only its digest in the database', async () => {
  const file = join(dataDir, 'demo-key')
  assert.equal(readFileSync(file, 'utf8').trim(), firstKey)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { stdout } = await steward(['keys', 'list', '--organization', slug, '--json'], env)
  assert.ok(!stdout.includes(firstKey))
})

test('a second server on the same data directory is refused', async () => {
  const second = await steward(['serve'], { ...env, PORT: '0' })
  assert.equal(second.code, 1)
  assert.match(second.stderr, /^steward: .*in use.*\n$/)
})

test('a port that is taken is named, before anything is opened', async () => {
  const { port } = new URL(service.url)
  const second = await steward(['serve'], { ...env, PORT: port })
  assert.equal(second.code, 1)
  assert.match(second.stderr, new RegExp(`^steward: port ${port} on 127.0.0.1 is taken.*\n$`))
})

test('a key is made, used and revoked while the service runs', async () => {
  const [, email] = /"memberEmail":"([^"]+)"/.exec(
    (await steward(['keys', 'list', '--organization', slug, '--json'], env)).stdout,
  )!
  const made = await steward(['keys', 'create', '--organization', slug, '--member', email!, '--json'], env)
  assert.equal(made.code, 0, made.stderr)
  const { id, key } = JSON.parse(made.stdout)
  assert.equal((await service.get('/organization', key)).status, 200)

  const revoked = await steward(['keys', 'revoke', id, '--json'], env)
  assert.deepEqual(JSON.parse(revoked.stdout), { id })
  assert.equal((await service.get('/organization', key)).status, 401)
})

test('the demo organization is not loaded twice', async () => {
  const { code, stderr } = await steward(['demo'], env)
  assert.equal(code, 1)
  assert.match(stderr, /^steward: .*casa-aurora.* exists already\n$/m)
})

test('what was exported can be imported, and a mistake keeps everything out', async () => {
  const directory = join(dataDir, 'export')
  const exported = await steward(['export', directory, '--organization', slug, '--json'], env)
  assert.equal(exported.code, 0, exported.stderr)
  const again = await steward(['export', directory, '--organization', slug], env)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /--force/)

  const imported = await steward(['import', directory, '--organization', slug, '--json'], env)
  assert.equal(imported.code, 0, imported.stderr)
  const { counts: written } = JSON.parse(exported.stdout)
  const { counts: read } = JSON.parse(imported.stdout)
  for (const [file, { unchanged }] of Object.entries<{ unchanged: number }>(read)) assert.equal(unchanged, written[file], file)

  writeFileSync(join(directory, 'members.jsonl'), '{ "id": 1 }\n')
  const refused = await steward(['import', directory, '--organization', slug], env)
  assert.equal(refused.code, 1)
  assert.match(refused.stdout, /^members\.jsonl:1:/m)
  assert.match(refused.stderr, /^steward: nothing was imported: \d+ mistakes?\n$/m)
})

test('told to stop, the service finishes the request in work and lets nobody new in', async () => {
  const { connection } = await openEmbedded(dataDir, { purpose: 'command' })
  const holder = new pg.Client(connection)
  await holder.connect()
  await holder.query('begin')
  // Transactions on the embedded database wait for each other, and so does this request.
  const slow = service.get('/organization')
  await delay(200)
  service.kill('SIGTERM')
  await delay(400)
  await assert.rejects(service.get('/organization'))
  await holder.query('commit')
  await holder.end()

  const answer = await slow
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /"slug":"casa-aurora"/)
  const { code, stderr } = await service.ended
  assert.equal(code, 0)
  assert.ok(!stderr.includes('sk_test_'))
  const logged = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(logged.at(-1).msg, 'stopped')
  assert.match(logged.find((line) => line.route === 'GET /organization').requestId, /^req_/)
})

test('the next start prints the same key', async () => {
  service = await startService(env)
  assert.equal(service.key, firstKey)
  assert.equal((await service.get('/organization')).status, 200)
})

test('a second signal ends the service at once, whatever is in work', async () => {
  const { connection } = await openEmbedded(dataDir, { purpose: 'command' })
  const holder = new pg.Client(connection)
  holder.on('error', () => {})
  await holder.connect()
  await holder.query('begin')
  const slow = service.get('/organization')
  const lost = assert.rejects(slow)
  await delay(200)
  service.kill('SIGTERM')
  await delay(700)
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 143)
  await lost
  await holder.end().catch(() => {})
})

test('a lost demo key is replaced, and refused from then on', async () => {
  rmSync(join(dataDir, 'demo-key'))
  service = await startService(env)
  assert.notEqual(service.key, firstKey)
  assert.equal((await service.get('/organization')).status, 200)
  assert.equal((await service.get('/organization', firstKey)).status, 401)
  service.kill('SIGINT')
  assert.equal((await service.ended).code, 0)
})

test('while the service stops, no request that it let in is lost', async () => {
  service = await startService({ ...env, STEWARD_RATE_LIMIT: '1000000' })
  const agent = new Agent({ keepAlive: true })
  const outcomes: (number | string)[] = []
  const ask = () =>
    new Promise<number | string>((resolve) => {
      const request = httpGet(`${service.url}/organization`, { agent, headers: { authorization: `Bearer ${service.key}` } })
      request.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode!)))
      request.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
    })
  const client = async () => {
    while (outcomes.at(-1) !== 'ECONNREFUSED') outcomes.push(await ask())
  }
  const clients = Promise.all([client(), client(), client(), client()])
  await delay(500)
  service.kill('SIGTERM')
  await clients
  assert.equal((await service.ended).code, 0)
  assert.deepEqual([...new Set(outcomes)].sort(), [200, 'ECONNREFUSED'])
})

test('a demo key that was revoked stays so', async () => {
  const listed = await steward(['keys', 'list', '--organization', slug, '--json'], env)
  const current = JSON.parse(listed.stdout).find(
    (key: { name: string; revokedAt: string | null }) => !key.revokedAt && key.name.startsWith('Demo key'),
  )
  await steward(['keys', 'revoke', current.id], env)
  service = await startService(env)
  assert.equal(service.key, undefined)
  assert.match(service.lines.at(-1)!, /revoked/)
})

const given = process.env.TEST_DATABASE_URL

test('on a PostgreSQL of its own: migrate, an organization, a key, the service, and no demo', { skip: !given }, async () => {
  const { url, drop } = await createDatabase(given!)
  const fresh = { DATABASE_URL: url }
  try {
    const migrated = await steward(['migrate', '--json'], fresh)
    assert.ok(JSON.parse(migrated.stdout).length > 0, migrated.stderr)
    assert.deepEqual(JSON.parse((await steward(['migrate', '--json'], fresh)).stdout), [])

    const empty = await startService(fresh)
    assert.equal(empty.key, undefined)
    empty.kill('SIGTERM')
    assert.equal((await empty.ended).code, 0)
    assert.deepEqual(JSON.parse((await steward(['organizations', 'list', '--json'], fresh)).stdout), [])

    const made = await steward(
      [
        'organizations',
        'create',
        '--name',
        'Casa',
        '--slug',
        'casa',
        '--timezone',
        'Europe/Madrid',
        '--owner-email',
        'olga@casa.example',
        '--json',
      ],
      fresh,
    )
    const demo = await steward(['demo', '--json'], fresh)
    assert.equal(JSON.parse(demo.stdout).slug, slug, demo.stderr)
    const key = await steward(['keys', 'create', '--organization', 'casa', '--member', 'Olga@casa.example', '--json'], fresh)
    const full = await startService(fresh)
    const answer = await full.get('/organization', JSON.parse(key.stdout).key)
    assert.equal(((await answer.json()) as { data: { id: string } }).data.id, JSON.parse(made.stdout).id)
    full.kill('SIGTERM')
    await full.ended
  } finally {
    await drop()
  }
})
