import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { raw, type Statement, sql } from '../../src/db/sql.ts'
import { testServer } from '../helper.ts'

const statements: Statement[] = []
const { client, database, organizationId, owner } = await testServer({ trace: (statement) => statements.push(statement) })
// Three years of a small team: of an empty table any index looks as good as another.
await database.transaction(async (trx) => {
  await trx.run(sql`insert into time_entries (organization_id, id, member_id, start_time, end_time, duration_minutes)
    select ${organizationId}, gen_random_uuid(), ${owner.id}, at, at + interval '1 hour', 60
    from generate_series(timestamptz '2024-01-01', '2026-12-31', interval '4 hours') at`)
  await trx.run(sql`insert into cost_items (organization_id, id, member_id, cost_type, total_cost_cents, incurred_at)
    select ${organizationId}, gen_random_uuid(), ${owner.id}, 'other', 100, at
    from generate_series(timestamptz '2024-01-01', '2026-12-31', interval '8 hours') at`)
  await trx.run(raw('analyze time_entries, cost_items'))
})
const month = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z', tz: 'Europe/Madrid' }

for (const [name, query] of [
  ['a month', month],
  ['a month of some departments and properties', { ...month, departmentIds: [v7()], propertyIds: [v7()] }],
  ['a month of some members', { ...month, memberIds: [owner.id] }],
] as const)
  test(`${name} reads its own range of an index of entries and of costs, however long the history is`, async () => {
    statements.length = 0
    const answer = await client('GET /costs', { query })
    assert.equal(answer.status, 200, answer.text)
    const plan = await planOf(statements.find(({ text }) => text.includes('time_entries'))!)
    assert.doesNotMatch(plan, /Seq Scan/)
    assert.match(plan, /Index Cond: .*organization_id = .*start_time >= .*start_time < /, plan)
    assert.match(plan, /Index Cond: .*organization_id = .*incurred_at >= .*incurred_at < /, plan)
  })

test('the day of a member reads its own range of an index', async () => {
  statements.length = 0
  const answer = await client('GET /costs/day', { query: { date: '2026-03-01', memberId: owner.id, tz: 'Europe/Madrid' } })
  assert.equal(answer.status, 200, answer.text)
  const plan = await planOf(statements.find(({ text }) => text.includes('time_entries'))!)
  assert.doesNotMatch(plan, /Seq Scan/)
  assert.match(plan, /Index Cond: .*organization_id = .*start_time >= .*start_time < /, plan)
  assert.match(plan, /Index Cond: .*organization_id = .*incurred_at >= .*incurred_at < /, plan)
})

/** As the pool plans it: once, for any values. */
async function planOf({ text, values }: Statement): Promise<string> {
  return database.transaction(async (trx) => {
    const name = `plan_${v7().replaceAll('-', '')}`
    await trx.run(raw(`prepare ${name} as ${text}`))
    const rows = await trx.rows<Record<string, string>>(
      raw(`explain (costs off) execute ${name}(${values.map(() => 'null').join(', ')})`),
    )
    await trx.run(raw(`deallocate ${name}`))
    return rows.map((row) => Object.values(row)[0]).join('\n')
  })
}
