import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Client, clientOf, server } from '../../test/helper.ts'
import { day, is, sample } from '../../test/sample-records.ts'
import { scratch } from '../../test/scratch.ts'
import { endpoints } from '../api/endpoints.ts'
import { sql } from '../db/sql.ts'
import { methodOf, pathOf } from '../http/endpoint.ts'
import { permissions } from '../http/permissions.ts'
import { exportDirectory } from './export.ts'
import { importDirectory, importRecords } from './import.ts'
import { type FileName, fileNames, recordFile } from './records.ts'

const { app, database } = server()
const { db } = database.reader()

/** An organization without anyone in it. */
async function empty(): Promise<string> {
  const id = v7()
  await database.transaction((trx) =>
    trx.run(sql`insert into organizations (id, name, slug, timezone) values (${id}, 'Casa', ${`casa-${id}`}, 'Europe/Madrid')`),
  )
  return id
}

async function clientFor(organizationId: string, memberId: string): Promise<Client> {
  const key = `sk_test_${randomBytes(30).toString('hex')}`
  const digest = createHash('sha256').update(key).digest()
  await database.transaction((trx) =>
    trx.run(sql`insert into api_keys (id, digest, organization_id, member_id, permissions)
      values (${v7()}, ${digest}, ${organizationId}, ${memberId}, ${permissions})`),
  )
  return clientOf(app, key)
}

test('the sample has something for every file', () => {
  assert.deepEqual(Object.keys(sample), fileNames)
})

test('an export imported into an empty organization answers every read alike, and is exported alike', async () => {
  const [one, other] = [await empty(), await empty()]
  const given = await database.transaction((trx) => importRecords(trx, one, sample))
  assert.ok(given.ok, JSON.stringify(given))
  const path = await scratch()
  const exported = await exportDirectory(database, one, path)

  const imported = await importDirectory(database, other, path)

  assert.ok(imported.ok, JSON.stringify(imported))
  for (const file of fileNames) assert.equal(imported.counts[file]?.inserted, exported.counts[file], file)
  const clients = [await clientFor(one, is('ada')), await clientFor(other, is('ada'))] as const
  const reads = readsOf()
  for (const [route, call] of reads) {
    const [a, b] = [await clients[0](route, call), await clients[1](route, call)]
    assert.equal(a.status, 200, `${route} ${a.text}`)
    assert.deepEqual(b.data, a.data, route)
  }
  const again = await scratch()
  await exportDirectory(database, other, again)
  for (const name of await readdir(path))
    assert.equal(await readFile(join(again, name), 'utf8'), await readFile(join(path, name), 'utf8'), name)
})

test('an export imported into the organization it came from changes nothing', async () => {
  const organizationId = await empty()
  await database.transaction((trx) => importRecords(trx, organizationId, sample))
  const path = await scratch()
  await exportDirectory(database, organizationId, path)

  const result = await importDirectory(database, organizationId, path)

  assert.ok(result.ok, JSON.stringify(result))
  const touched = Object.entries(result.counts).filter(([, { inserted, updated }]) => inserted + updated > 0)
  assert.deepEqual(touched, [])
})

test('an export has every file, which only its owner can read, and keeps others’ files unless forced', async () => {
  const organizationId = await empty()
  const path = await scratch()
  await exportDirectory(database, organizationId, path)
  assert.deepEqual((await readdir(path)).sort(), fileNames.map((name) => `${name}.jsonl`).sort())
  assert.equal((await stat(join(path, 'guests.jsonl'))).mode & 0o777, 0o600)

  await writeFile(join(path, 'guests.jsonl'), 'mine')
  await assert.rejects(exportDirectory(database, organizationId, path), /has \.jsonl files already/)
  assert.equal(await readFile(join(path, 'guests.jsonl'), 'utf8'), 'mine')
  await exportDirectory(database, organizationId, path, { force: true })
  assert.equal(await readFile(join(path, 'guests.jsonl'), 'utf8'), '')
})

test('an export of more rows than a page has each once', async () => {
  const organizationId = await empty()
  const guests = Array.from({ length: 2_500 }, (_, n) => ({ id: v7(), firstName: `Guest ${n}` }))
  const values = Array.from({ length: 1_500 }, (_, n) => ({ field: 'cleaning' as const, value: `v${n}` }))
  await database.transaction((trx) => importRecords(trx, organizationId, { guests, 'property-status-values': values }))
  const path = await scratch()
  const { counts } = await exportDirectory(database, organizationId, path)
  assert.deepEqual([counts.guests, counts['property-status-values']], [2_500, 1_500])
  const names = (await readFile(join(path, 'guests.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).firstName)
  assert.deepEqual(
    names,
    guests.map(({ firstName }) => firstName),
  )
  assert.equal(new Set((await readFile(join(path, 'property-status-values.jsonl'), 'utf8')).trim().split('\n')).size, 1_500)
})

test('a secret of an integration account is neither exported nor lost by an import', async () => {
  const organizationId = await empty()
  const accounts = { 'integration-accounts': sample['integration-accounts'] }
  await database.transaction((trx) => importRecords(trx, organizationId, accounts))
  await database.transaction((trx) =>
    trx.run(sql`update integration_accounts set credentials = 'hunter2' where organization_id = ${organizationId}`),
  )
  const path = await scratch()
  await exportDirectory(database, organizationId, path)
  assert.doesNotMatch(await readFile(join(path, 'integration-accounts.jsonl'), 'utf8'), /credentials|68756e74/)
  await database.transaction((trx) =>
    importRecords(trx, organizationId, {
      'integration-accounts': [{ ...accounts['integration-accounts'][0]!, name: 'Renamed' }],
    }),
  )
  const rows = await db.rows(sql`select name, convert_from(credentials, 'UTF8') as secret from integration_accounts
    where organization_id = ${organizationId}`)
  assert.deepEqual(rows, [{ name: 'Renamed', secret: 'hunter2' }])
})

/** Every read of the API, with what it needs to answer something: a list whole, a thing by each of the sample's ids. */
function readsOf(): [route: string, call: { id?: string; query?: Record<string, string> }][] {
  // Of the organization itself, and of what is not transferred.
  const others = [
    'GET /organization',
    'GET /events',
    'GET /events/{id}',
    'GET /api-keys',
    'GET /device-alerts',
    'GET /device-alerts/{id}',
    'GET /device-alert-rules',
    'GET /device-commands/{id}',
    'GET /devices/{id}/commands',
    'GET /devices/{id}/simulation',
  ]
  const queries: Record<string, Record<string, string>> = {
    'GET /members': { offset: '0', limit: '100' },
    'GET /costs': { start: '2025-01-01T00:00:00.000Z', end: '2025-12-31T00:00:00.000Z', pendingOnly: 'false' },
    'GET /costs/day': { date: day, memberId: is('bea') },
    'GET /search': { query: 'casa' },
  }
  return endpoints
    .filter((endpoint) => methodOf(endpoint) === 'GET' && !others.includes(endpoint.route))
    .flatMap(({ route, ...endpoint }) => {
      const path = pathOf({ route, ...endpoint })
      if (!path.endsWith('/{id}')) return [[route, { query: queries[route] ?? {} }] as [string, object]]
      const noun = path.slice(1, -'/{id}'.length)
      const file = (noun === 'integrations' ? 'integration-accounts' : noun) as FileName
      assert.ok(recordFile(file), route)
      return (sample[file] as { id: string }[]).map((record): [string, object] => [route, { id: record.id }])
    })
}
