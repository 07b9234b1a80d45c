import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { clientOf, server } from '../../../test/helper.ts'
import { raw, type Statement } from '../../db/sql.ts'
import { loadDemo } from '../../demo/demo.ts'
import { permissions } from '../../http/permissions.ts'
import { createKey } from '../api-keys/api-key.ts'

const statements: Statement[] = []
const { app, database } = server({ trace: (statement) => statements.push(statement) })
const id = v7()
const { ownerMemberId } = await loadDemo(database, { now: new Date(), organization: { id, slug: `plan-${id}` } })
const { key } = await database.transaction((trx) => createKey(trx, { organizationId: id, memberId: ownerMemberId, permissions }))
const client = clientOf(app, key)

/** The plans of what a search asks, made once for any values as on the service's connections. */
async function plansOf(query: string): Promise<string[]> {
  statements.length = 0
  assert.equal((await client('GET /search', { query: { query } })).status, 200)
  const asked = statements.filter(({ text }) => text.includes('search_words') || text.includes('@@'))
  return database.transaction(async (trx) => {
    const plans = []
    for (const { text, values } of asked) {
      const name = `plan_${v7().replaceAll('-', '')}`
      await trx.run(raw(`prepare ${name} as ${text}`))
      const rows = await trx.rows<Record<string, string>>(
        raw(`explain (costs off) execute ${name}(${values.map(() => 'null').join(', ')})`),
      )
      await trx.run(raw(`deallocate ${name}`))
      plans.push(rows.map((row) => Object.values(row)[0]).join('\n'))
    }
    return plans
  })
}

const condition = (index: string, rest: string) =>
  new RegExp(`Bitmap Index Scan on ${index}\\n\\s+Index Cond: \\(\\(organization_id = \\$\\d+\\) AND \\(${rest}`)

test('names are read by their words from the index of the organization, however many there are', async () => {
  const [, plan] = await plansOf('casa')
  for (const table of ['tasks', 'reservations']) assert.match(plan!, condition(`${table}_search`, 'search @@'))
  assert.doesNotMatch(plan!, /Seq Scan/)
})

test('words that may be meant are read from the index of their variants', async () => {
  const [plan] = await plansOf('csaa')
  assert.match(plan!, condition('search_words_variants', 'variants &&'))
  assert.match(plan!, /Index Cond: \(\(organization_id = \$\d+\) AND \(word > /)
  assert.doesNotMatch(plan!, /Seq Scan/)
})
