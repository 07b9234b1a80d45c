import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { raw } from '../src/db/sql.ts'
import { server } from './helper.ts'
import { describeSchema } from './schema-sql.ts'

const file = join(import.meta.dirname, '../src/db/schema.sql')

/** `WRITE_SCHEMA=1 npm test -- test/schema.test.ts` writes it anew after a migration was added. */
test('src/db/schema.sql is what the migrations make', async () => {
  const { database } = server()
  const { db } = database.reader()
  const schema = await describeSchema(async (text) => ({ rows: await db.rows(raw(text)) }))
  if (process.env.WRITE_SCHEMA) writeFileSync(file, schema)
  assert.equal(readFileSync(file, 'utf8'), schema, 'run: npm run schema')
})

test('every table but the global ones begins its primary key with the organization', async () => {
  const { database } = server()
  const rows = await database.reader().db.rows<{ table: string; first: string }>(
    raw(`select c.relname as "table", a.attname as first from pg_index i
      join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] where i.indisprimary`),
  )
  const global = ['organizations', 'users', 'api_keys', 'migrations']
  assert.ok(rows.length > 25)
  assert.deepEqual(
    rows.filter(({ table, first }) => !global.includes(table) && first !== 'organization_id'),
    [],
  )
})
