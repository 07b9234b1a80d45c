import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { v7 } from 'uuid'
import { endpoints } from '../src/api/endpoints.ts'
import { raw, type Statement } from '../src/db/sql.ts'
import { type Endpoint, isList } from '../src/http/endpoint.ts'
import { testServer } from './helper.ts'

const statements: Statement[] = []
const { client, database, make } = await testServer({ trace: (statement) => statements.push(statement) })
/** For the lists of what belongs to something: whose they are. */
const { id } = await make('devices', { type: 'lock' })

type Field = TSchema & { type?: string; enum?: string[]; format?: string; items?: Field; default?: unknown }

for (const endpoint of endpoints.filter(isList)) {
  const parameters = Object.entries((endpoint.query?.properties ?? {}) as Record<string, Field>).filter(
    ([name]) => name !== 'limit' && name !== 'offset',
  )
  const required = endpoint.query?.properties && 'offset' in endpoint.query.properties ? { offset: 500 } : {}

  test(`${endpoint.route}: a deep page is read through an index of its organization`, async () => {
    await assertIndexed(endpoint, required)
  })
  for (const [name, field] of parameters) {
    test(`${endpoint.route}: filtered by ${name}, no table is scanned`, async () => {
      await assertIndexed(endpoint, { ...required, [name]: sample(field) })
    })
  }
}

/** Plans every statement of the request with sequential scans made dear: one that remains means that there is no index to use. */
async function assertIndexed(endpoint: Endpoint, query: Record<string, string | number | boolean | string[]>): Promise<void> {
  statements.length = 0
  const answer = await client(endpoint.route, { id, query })
  assert.equal(answer.status, 200, answer.text)
  const asked = statements.filter(({ text }) => /\bas total\b/.test(text))
  assert.ok(asked.length > 0)
  for (const statement of asked) {
    const plan = await planOf(statement)
    assert.doesNotMatch(plan, /Seq Scan/, `${statement.text}\n${plan}`)
    for (const scan of plan.match(/Index (Only )?Scan.*\n(?:(?!->).*\n)*/g) ?? []) {
      assert.match(scan, /_id = |\bid = /, `an index scan without a condition:\n${plan}`)
    }
  }
}

async function planOf({ text, values }: Statement): Promise<string> {
  return database.transaction(async (trx) => {
    const name = `plan_${v7().replaceAll('-', '')}`
    await trx.run(raw(`prepare ${name} as ${text}`))
    await trx.run(raw('set local enable_seqscan = off'))
    const rows = await trx.rows<Record<string, string>>(
      raw(`explain (costs off) execute ${name}${values.length > 0 ? `(${values.map(() => 'null').join(', ')})` : ''}`),
    )
    await trx.run(raw(`deallocate ${name}`))
    return `${rows.map((row) => Object.values(row)[0]).join('\n')}\n`
  })
}

function sample(field: Field): string | number | boolean | string[] {
  if (field.type === 'array')
    return [sample(field.items!) as string, sample(field.items!) as string].slice(
      0,
      (field as { maxItems?: number }).maxItems ?? 2,
    )
  if (field.enum) return field.enum[0]!
  if (field.type === 'boolean') return true
  if (field.type === 'integer') return 1
  if (field.format === 'date-time') return '2026-06-01T12:00:00.000Z'
  if (field.format === 'date') return '2026-06-01'
  if (field.format === 'uuid') return v7()
  return (field as { maxLength?: number }).maxLength === 100 ? v7() : 'casa'
}
