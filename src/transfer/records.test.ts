import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { server } from '../../test/helper.ts'
import { snakeCase } from '../db/projection.ts'
import { sql } from '../db/sql.ts'
import { type FileName, fileNames, recordFile } from './records.ts'

const { database } = server()
const { db } = database.reader()

type Column = { table: string; name: string; nullable: boolean; default: string | null }

const columns = await db.rows<Column>(sql`
  select table_name as table, column_name as name, is_nullable = 'YES' as nullable, column_default as default
  from information_schema.columns where is_generated = 'NEVER' and table_schema = 'public' and column_name <> 'organization_id'
  order by table_name, ordinal_position`)

const columnsOf = (file: FileName): Column[] => columns.filter(({ table }) => table === recordFile(file).table)

/** The fields of a record that are columns of its table. */
function fieldsOf(file: FileName): Map<string, TSchema & { default?: unknown; anyOf?: { type?: string }[] }> {
  const { schema, links = [] } = recordFile(file)
  const linked = new Set(links.map(({ field }) => field))
  return new Map(Object.entries(schema.properties as Record<string, TSchema>).filter(([name]) => !linked.has(name)))
}

test('every column of a transferred table is a field of its record, or is named as one that is not', () => {
  for (const file of fileNames) {
    const fields = [...fieldsOf(file).keys()].map(snakeCase)
    assert.deepEqual(
      [...fields, ...(recordFile(file).untransferred ?? [])].sort(),
      columnsOf(file)
        .map(({ name }) => name)
        .sort(),
      file,
    )
  }
})

test('every table is transferred, or known not to be', () => {
  const transferred = fileNames.flatMap((file) => [
    recordFile(file).table,
    ...(recordFile(file).links ?? []).map(({ table }) => table),
  ])
  const known = [
    'organizations',
    'users',
    'api_keys',
    'device_alerts',
    'device_alert_rules',
    'device_commands',
    'events',
    'idempotency_records',
    'migrations',
    'kept_costs',
    'search_words',
    'simulated_devices',
  ]
  const tables = [...new Set(columns.map(({ table }) => table))].filter((table) => !transferred.includes(table))
  assert.deepEqual(
    tables.filter((table) => !known.includes(table)),
    [],
  )
})

test('a field must be given where its column has neither a default nor null', () => {
  for (const file of fileNames) {
    const required = columnsOf(file).filter((column) => !column.nullable && column.default === null)
    const declared = ((recordFile(file).schema.required ?? []) as string[]).map(snakeCase)
    assert.deepEqual(declared.sort(), required.map(({ name }) => name).sort(), file)
  }
})

test('a field takes null where its column does', () => {
  for (const file of fileNames) {
    const fields = fieldsOf(file)
    for (const { name, nullable } of columnsOf(file)) {
      const field = [...fields].find(([field]) => snakeCase(field) === name)?.[1]
      if (!field) continue
      const takesNull =
        field.anyOf?.some(({ type }) => type === 'null') ?? Object.keys(field).every((key) => key === 'description')
      assert.equal(takesNull, nullable, `${file} ${name}`)
    }
  }
})

test('a field that is left out takes the default of its column', async () => {
  for (const file of fileNames) {
    const fields = fieldsOf(file)
    for (const column of columnsOf(file)) {
      const [name, field] = [...fields].find(([field]) => snakeCase(field) === column.name) ?? []
      // Times are those of the import; permissions are the role's.
      if (!field || column.default === 'now()' || name === 'permissions') continue
      if (column.default === null) assert.equal(field.default, undefined, `${file} ${name}`)
      else assert.equal(JSON.stringify(field.default), await defaultOf(column.default), `${file} ${name}`)
    }
  }
})

test('a file refers only to those above it', () => {
  for (const [i, file] of fileNames.entries()) {
    const above: string[] = [...fileNames.slice(0, i), ...(i > fileNames.indexOf('members') ? ['users'] : [])]
    const targets = Object.values(recordFile(file).references ?? {}) as string[]
    assert.deepEqual(
      targets.filter((target) => !above.includes(target)),
      [],
      file,
    )
  }
})

/** What a column's default expression comes to, as JSON. */
async function defaultOf(expression: string): Promise<string> {
  const [row] = await db.rows<{ value: string }>({ strings: [`select to_json(${expression})::text as value`], values: [] })
  return row!.value
}
