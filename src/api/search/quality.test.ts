import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { clientOf, server } from '../../../test/helper.ts'
import { kinds, searchable, searchQueries } from '../../../test/search-queries.ts'
import { loadDemo } from '../../demo/demo.ts'
import { permissions } from '../../http/permissions.ts'
import { createKey } from '../api-keys/api-key.ts'

const now = new Date()
const { app, database } = server()
const id = v7()
const { ownerMemberId } = await loadDemo(database, { now, organization: { id, slug: `search-${id}` } })
const { key } = await database.transaction((trx) => createKey(trx, { organizationId: id, memberId: ownerMemberId, permissions }))
const client = clientOf(app, key)

const queries = searchQueries(searchable(now))
/** Of 100: how often what is wanted is among the first five. */
const least = {
  exact: 99.5,
  prefix: 99.5,
  'swapped words': 99,
  'no accents': 99.5,
  'one typo': 97,
  'two typos': 90,
  'partial code': 99.5,
}

test('the set has a thousand queries and more', () => assert.ok(queries.length >= 1_000, String(queries.length)))

for (const kind of kinds) {
  test(`${kind}: what is wanted is among the first five of ${least[kind]} of 100 queries`, async () => {
    const missed: string[] = []
    const some = queries.filter((query) => query.kind === kind)
    for (const { text, wanted } of some) {
      const { data } = await client('GET /search', { query: { query: text, limit: 5 } })
      if (!data.items.some(({ entityId }: { entityId: string }) => wanted.has(entityId))) missed.push(text)
    }
    const found = (100 * (some.length - missed.length)) / some.length
    assert.ok(some.length >= 100 && found >= least[kind], `${found} of 100 of ${some.length}; missed: ${missed.join(' | ')}`)
  })
}
