import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { sample } from '../../test/sample-records.ts'
import { importPage, schemaFiles } from './json-schema.ts'
import { fileNames, recordFile } from './records.ts'

const root = join(import.meta.dirname, '../..')

test('the JSON Schema of a file takes its records and no others', () => {
  const files = schemaFiles()
  assert.deepEqual(
    Object.keys(files),
    fileNames.map((name) => `docs/schemas/${name}.schema.json`),
  )
  for (const name of fileNames) {
    const schema = Compile(JSON.parse(files[`docs/schemas/${name}.schema.json`]!))
    for (const record of sample[name]) {
      assert.ok(schema.Check(record), name)
      assert.ok(!schema.Check({ ...record, colour: 'red' }), name)
    }
    assert.ok(!schema.Check({}), name)
  }
})

test('the page on import names every file and field, and is made anew from itself', () => {
  const page = importPage(readFileSync(join(root, 'docs/import.md'), 'utf8'))
  for (const name of fileNames) {
    const part = page.split(`### ${name}.jsonl`)[1]?.split('\n### ')[0] ?? ''
    for (const field of Object.keys(recordFile(name).schema.properties))
      assert.ok(part.includes(`| \`${field}\` |`), `${name} ${field}`)
  }
  assert.equal(importPage(page), page)
  assert.throws(() => importPage('# Nothing'), /must hold the lines/)
})
