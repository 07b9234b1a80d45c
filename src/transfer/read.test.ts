import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, server } from '../../test/helper.ts'
import { scratch } from '../../test/scratch.ts'
import { sql } from '../db/sql.ts'
import { type ImportResult, importDirectory, importRecords } from './import.ts'
import { maxLineBytes } from './read.ts'

const { database } = server()

async function directory(files: Record<string, string | Buffer | readonly (string | Buffer)[]>): Promise<string> {
  const path = await scratch()
  for (const [name, content] of Object.entries(files)) {
    const parts = [content].flat().map((part) => Buffer.from(part as string))
    await writeFile(join(path, `${name}.jsonl`), Buffer.concat(parts))
  }
  return path
}

const wrong = (result: ImportResult) =>
  result.ok ? [] : result.issues.map(({ file, line, field, code }) => [file.replace('.jsonl', ''), line, field, code].join(' '))

test('every bad line is reported with file, line, field and reason, and nothing is in', async () => {
  const { organizationId } = await organization(database)
  const [good, twice] = [v7(), v7()]
  const path = await directory({
    'property-groups': [
      `${JSON.stringify({ id: good, name: 'Coast' })}\n`,
      `{"id":"${v7()}","name":"Hills"\n`,
      `{"name":7,"colour":"red"}\n`,
      `\n`,
      `[1]\n`,
      Buffer.concat([Buffer.from(`{"id":"${v7()}","name":"`), Buffer.from([0xff]), Buffer.from('"}\n')]),
      `{"id":"${v7()}","name":"\\u0000"}\n`,
      `{"id":"${v7()}","name":"\\ud800"}\n`,
      `{"id":"${v7()}","name":"${'x'.repeat(501)}"}\n`,
      `{"id":"${v7()}","name":"Madrid","timezone":"Europe/Madird"}\n`,
      `{"id":"${twice}","name":"One"}\r\n`,
      `{"id":"${twice.toUpperCase()}","name":"Two"}`,
    ],
    devices: [
      `{"id":"12","type":"toaster","batteryLevel":"full","propertyIds":["x"]}\n`,
      `{"id":"${v7()}","batteryLevel":101,"deviceState":{"a":1e400}}\n`,
      `{"id":"${v7()}","deviceState":${'['.repeat(40)}${']'.repeat(40)}}\n`,
      `{"id":"${v7()}","deviceState":{"\\u0000":1}}\n`,
      `{"id":"${v7()}","healthCheck":"2025-02-30T00:00:00Z"}\n`,
      `{"id":"${v7()}","healthCheck":"0001-01-01T00:00:00+14:00"}\n`,
      `{"id":"${v7()}","name":"${'x'.repeat(maxLineBytes)}"}\n`,
      `{"id":"${v7()}","name":null}\n`,
    ],
    propertys: `{}`,
  })

  const result = await importDirectory(database, organizationId, path)

  assert.deepEqual(wrong(result), [
    'propertys   unknown_file',
    'property-groups 2  json',
    'property-groups 3 id required',
    'property-groups 3 colour unknown',
    'property-groups 3 name type',
    'property-groups 5  type',
    'property-groups 6  encoding',
    'property-groups 7 name encoding',
    'property-groups 8 name encoding',
    'property-groups 9 name max_length',
    'property-groups 10 timezone time_zone',
    'property-groups 12 id duplicate',
    'devices 1 id format',
    'devices 1 type enum',
    'devices 1 batteryLevel type',
    'devices 1 propertyIds.0 format',
    'devices 2 deviceState range',
    'devices 3 deviceState depth',
    'devices 4  encoding',
    'devices 5 healthCheck format',
    'devices 6 healthCheck range',
    'devices 7  too_long',
  ])
  assert.ok(!result.ok && result.total === result.issues.length)
  const message = (line: number, field: string) => result.issues.find((one) => one.line === line && one.field === field)?.message
  assert.equal(message(1, 'batteryLevel'), 'must be number or null')
  assert.equal(message(3, 'colour'), 'is not a field of property-groups.jsonl')
  assert.equal(message(12, 'id'), 'is the same as on line 11')
  const [{ rows }] = (await database.reader().db.rows<{ rows: number }>(sql`
    select count(*)::int as rows from property_groups where organization_id = ${organizationId}`)) as [{ rows: number }]
  assert.equal(rows, 0)
})

test('a reference to a malformed line is not called unknown', async () => {
  const { organizationId } = await organization(database)
  const group = v7()
  const result = await importDirectory(
    database,
    organizationId,
    await directory({
      'property-groups': `{"id":"${group}","name":1}`,
      properties: `{"id":"${v7()}","propertyGroupId":"${group}"}\n{"id":"${v7()}","propertyGroupId":"${v7()}"}`,
    }),
  )
  assert.deepEqual(wrong(result), ['property-groups 1 name type', 'properties 2 propertyGroupId unknown_reference'])
})

test('blank lines, a byte order mark, CRLF and line separators within texts are no mistakes', async () => {
  const { organizationId } = await organization(database)
  const path = await directory({
    'property-groups': `\ufeff{"id":"${v7()}","name":"A\u2028B"}\r\n\r\n{"id":"${v7()}","name":"C"}`,
    guests: '',
  })
  const result = await importDirectory(database, organizationId, path)
  assert.ok(result.ok, JSON.stringify(result))
  assert.deepEqual(result.counts, { 'property-groups': { inserted: 2, updated: 0, unchanged: 0 } })
})

test('lines longer than what is read at once stay whole', async () => {
  const { organizationId } = await organization(database)
  const name = 'é'.repeat(500)
  const people = Array.from({ length: 2_000 }, () => `{"id":"${v7()}","firstName":"${name}","lastName":"${name}"}\n`)
  const result = await importDirectory(database, organizationId, await directory({ guests: people }))
  assert.ok(result.ok && result.counts.guests?.inserted === 2_000)
})

test('of many mistakes the first thousand are named and all are counted', async () => {
  const { organizationId } = await organization(database)
  const records = { guests: Array.from({ length: 1_500 }, () => ({ id: 'x' })) }
  const result = await database.transaction((trx) => importRecords(trx, organizationId, records))
  assert.ok(!result.ok)
  assert.equal(result.total, 1_500)
  assert.deepEqual(
    result.issues.map(({ line }) => line),
    Array.from({ length: 1_000 }, (_, i) => i + 1),
  )
})

test('a directory without files to import is an error in words', async () => {
  const empty = await directory({})
  await assert.rejects(importDirectory(database, v7(), empty), /has no \.jsonl files/)
  await assert.rejects(importDirectory(database, v7(), join(empty, 'none')), /there is no such directory/)
  await mkdir(join(empty, 'guests.jsonl'))
  const { organizationId } = await organization(database)
  assert.deepEqual(wrong(await importDirectory(database, organizationId, empty)), ['guests   unknown_file'])
})
