import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { doubleProvider, snapshot } from '../../../test/double-provider.ts'
import { testServer } from '../../../test/helper.ts'
import { join, raw, sql } from '../../db/sql.ts'
import { loadDemo } from '../../demo/demo.ts'

const { providers, script } = doubleProvider()
const { client, make, database, organizationId } = await testServer({ providers })
const department = await make('departments', { name: 'Cleans', category: 'cleans' })
const property = await make('properties')
const tables = ['members', 'property_groups', 'properties', 'reservations', 'devices', 'tasks']

/** Words of names that are to be known and are not: what a search would miss. */
async function unknown(organization = organizationId): Promise<string[]> {
  const words = tables.map(
    (table) => sql`select substr(lexeme, 9) as word from ${raw(table)} t, unnest(tsvector_to_array(t.search)) lexeme
      where t.organization_id = ${organization}`,
  )
  const rows = await database.reader().db.rows<{ word: string }>(sql`
    select distinct word from (${join(words, ' union all ')}) w where search_learns(word)
      and not exists (select from search_words k where k.organization_id = ${organization} and k.word = w.word)`)
  return rows.map(({ word }) => word).toSorted()
}

const before = await unknown()
const data = async (answer: ReturnType<typeof client>) => {
  const { status, text, data } = await answer
  assert.ok(status < 300, text)
  return data
}

test('a name that no request wrote has words that are not known', async () => {
  const { id } = await make('property_groups', { name: 'Contraband' })
  assert.deepEqual(await unknown(), [...before, 'contraband'].toSorted())
  await database.transaction((trx) =>
    trx.run(sql`delete from property_groups where organization_id = ${organizationId} and id = ${id}`),
  )
})

test('every write that makes or changes a name learns its words', async () => {
  const departmentId = department.id
  const { task } = await data(client('POST /tasks', { body: { departmentId, name: 'Descale kettles' } }))
  await data(client('PATCH /tasks/{id}', { id: task.id, body: { data: { name: 'Descaling kettles' } } }))
  const template = await make('task_templates', { departmentId, name: 'Defrost freezers' })
  await data(client('POST /tasks', { body: { departmentId, name: 'whatever', templateId: template.id } }))

  const [checkIn, checkOut] = ['2026-06-01T14:00:00.000Z', '2026-06-03T10:00:00.000Z']
  const stay = { propertyId: property.id, checkIn, checkOut, guestFirstName: 'Ottoline', guestLastName: 'Vanderbilt' }
  const { id } = await data(client('POST /reservations', { body: stay }))
  await data(client('PATCH /reservations/{id}', { id, body: { data: { guestLastName: 'Rockefeller' } } }))

  await data(client('POST /properties', { body: { name: 'Quinta Grande', nickname: 'Farmhouse' } }))
  const email = 'theodora@quintagrande.pt'
  await data(client('POST /members', { body: { email, firstName: 'Theodora', lastName: 'Lindqvist', role: 'viewer' } }))

  const account = await data(client('POST /integrations', { body: { provider: 'seam', settings: {} } }))
  script.list = async function* () {
    yield { externalId: 'x', name: 'Greenhouse door', type: 'lock', ecosystem: null, snapshot: snapshot('locked') }
  }
  await data(client('POST /integrations/{id}/sync', { id: account.id }))
  const [device] = await data(client('GET /devices'))
  await data(client('PATCH /devices/{id}', { id: device.id, body: { data: { name: 'Conservatory' } } }))
  assert.deepEqual(await unknown(), before)
})

test('an import and a new organization know all their words', async () => {
  const id = v7()
  await loadDemo(database, { now: new Date(), organization: { id, slug: `words-${id}` } })
  assert.deepEqual(await unknown(id), [])
})
