import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { client, member, keyFor, organizationId, database } = await testServer()

test('the organization of the key answers exactly the fields of the contract', async () => {
  await database.transaction((trx) =>
    trx.run(sql`update organizations set name = 'Casa "São" \\', region = 'eu-west', created_at = '2026-01-01T00:00:00.5Z'
      where id = ${organizationId}`),
  )

  const answer = await client('GET /organization')

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, {
    id: organizationId,
    name: 'Casa "São" \\',
    slug: `casa-${organizationId}`,
    region: 'eu-west',
    timezone: 'Europe/Madrid',
    createdAt: '2026-01-01T00:00:00.500Z',
  })
  assert.deepEqual(Object.keys(answer.meta), ['requestId'])
})

test('each key reads its own organization, local where no region was given and null where no time zone is known', async () => {
  const other = await organization(database)
  await database.transaction((trx) => trx.run(sql`update organizations set timezone = null where id = ${other.organizationId}`))

  const { data } = await client('GET /organization', { key: other.key })

  assert.deepEqual([data.id, data.region, data.timezone], [other.organizationId, 'local', null])
})

test('a member without view_organization is refused', async () => {
  const { key } = await keyFor((await member({ permissions: ['view_guides'] })).id)
  const answer = await client('GET /organization', { key })
  assert.equal(answer.status, 403)
  assert.equal(answer.error.details.permission, 'view_organization')
})
