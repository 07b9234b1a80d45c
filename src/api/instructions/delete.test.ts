import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, database, owner, organizationId } = await testServer({ clock: () => now })

const updatedAt = '2026-01-02T09:30:00.125Z'
const remove = (id: string, headers: Record<string, string> = {}) => client('DELETE /instructions/{id}', { id, headers })

test('a step is gone, the next ones move up, and the event names it', async () => {
  const property = await make('properties')
  const steps = []
  for (let n = 0; n < 4; n++)
    steps.push(
      await make('instructions', { propertyId: property.id, title: `S${n}`, fixedCode: '4711', sortOrder: n, updatedAt }),
    )

  const answer = await remove(steps[1]!.id)

  assert.deepEqual([answer.status, answer.data], [200, { success: true }])
  assert.equal((await client('GET /instructions/{id}', { id: steps[1]!.id })).status, 404)
  const { data } = await client('GET /instructions', { query: { propertyIds: property.id } })
  assert.deepEqual(
    data.map((step: Record<string, unknown>) => [step.title, step.sortOrder, step.updatedAt]),
    [
      ['S0', 0, updatedAt],
      ['S2', 1, now.toISOString()],
      ['S3', 2, now.toISOString()],
    ],
  )
  const { data: events } = await client('GET /events', { query: { entityId: steps[1]!.id } })
  assert.deepEqual(
    [events.length, events[0].type, events[0].memberId, events[0].requestId],
    [1, 'instruction.deleted', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(events[0].changes, { title: { from: 'S1' }, propertyId: { from: property.id }, sortOrder: { from: 1 } })
})

test('gaps that were there before are closed too', async () => {
  const group = await make('property_groups', { name: 'Coast' })
  const steps = []
  for (const sortOrder of [2, 5, 6, 9]) steps.push(await make('instructions', { propertyGroupId: group.id, sortOrder }))
  await remove(steps[2]!.id)
  const { data } = await client('GET /instructions', { query: { propertyGroupIds: group.id } })
  assert.deepEqual(
    data.map(({ id, sortOrder }: { id: string; sortOrder: number }) => [id, sortOrder]),
    [
      [steps[0]!.id, 0],
      [steps[1]!.id, 1],
      [steps[3]!.id, 2],
    ],
  )
})

test('with an Idempotency-Key a retry hears of the success again', async () => {
  const property = await make('properties')
  const { id } = await make('instructions', { propertyId: property.id, sortOrder: 0 })
  const answers = [
    await remove(id, { 'idempotency-key': 'gone' }),
    await remove(id, { 'idempotency-key': 'gone' }),
    await remove(id),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 404],
  )
})

test('a body with fields is refused, an empty one is not', async () => {
  const property = await make('properties')
  const { id } = await make('instructions', { propertyId: property.id, sortOrder: 0 })
  assert.equal((await client('DELETE /instructions/{id}', { id, body: { force: true } })).status, 400)
  assert.equal((await client('DELETE /instructions/{id}', { id, body: {} })).status, 200)
})

test("another organization's step does not exist, and stays where it is", async () => {
  const other = await organization(database)
  const house = await other.make('properties')
  const theirs = await other.make('instructions', { propertyId: house.id, sortOrder: 0 })
  for (const id of [theirs.id, v7()]) {
    const answer = await remove(id)
    assert.deepEqual([answer.status, answer.error.code], [404, 'instruction_not_found'])
  }
  const { db } = database.reader()
  const left = (organization: string) => db.rows(sql`select from instructions where organization_id = ${organization}`)
  assert.equal((await left(other.organizationId)).length, 1)
  assert.notEqual((await left(organizationId)).length, 0)
})
