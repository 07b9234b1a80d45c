import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { client, make, member, keyFor, database } = await testServer()

test('an organization without portals has an empty list', async () => {
  const answer = await client('GET /portals')
  assert.equal(answer.status, 200)
  assert.deepEqual([answer.data, answer.meta.pagination], [[], { limit: 1000, offset: 0, total: 0 }])
})

test("portals are listed oldest first, and none of another organization's", async () => {
  const beach = await make('portals', {
    name: 'Praia "Norte"',
    isDefault: true,
    supportEmail: 'olá@casa.example',
    createdAt: '2026-01-02T00:00:00Z',
  })
  const nameless = await make('portals', { createdAt: '2026-01-01T00:00:00Z' })
  await (await organization(database)).make('portals', { name: 'Theirs', isDefault: true })

  const answer = await client('GET /portals')

  assert.deepEqual(answer.data, [
    { id: nameless.id, name: null, isDefault: false, supportEmail: null },
    { id: beach.id, name: 'Praia "Norte"', isDefault: true, supportEmail: 'olá@casa.example' },
  ])
  assert.equal(answer.meta.pagination.total, 2)
})

test('of more than a thousand portals the oldest thousand are shown, and the total tells', async () => {
  const many = await organization(database)
  await database.transaction((trx) =>
    trx.run(sql`insert into portals (organization_id, id, name, created_at)
      select ${many.organizationId}::uuid, gen_random_uuid(), 'Portal ' || n, '2026-01-01'::timestamptz + n * interval '1 minute'
      from generate_series(1, 1001) n`),
  )

  const answer = await client('GET /portals', { key: many.key })

  assert.equal(answer.data.length, 1000)
  assert.deepEqual([answer.data[0].name, answer.data[999].name], ['Portal 1', 'Portal 1000'])
  assert.deepEqual(answer.meta.pagination, { limit: 1000, offset: 0, total: 1001 })
})

test('the list takes no parameters, limit and offset included', async () => {
  for (const name of ['limit', 'offset', 'name']) {
    const answer = await client('GET /portals', { query: { [name]: 1 } })
    assert.equal(answer.status, 400)
    assert.deepEqual(
      answer.error.details.issues.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [[`query.${name}`, 'unknown']],
    )
  }
})

test('a member without view_guides is refused', async () => {
  const { key } = await keyFor((await member({ permissions: ['view_organization'] })).id)
  const answer = await client('GET /portals', { key })
  assert.equal(answer.status, 403)
  assert.equal(answer.error.details.permission, 'view_guides')
})
