import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()

test('a property group answers its fields and how many properties belong to it', async () => {
  const times = { createdAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-03-02T09:30:00.125Z' }
  const group = await make('property_groups', { name: 'Costa "Sul"', timezone: 'Europe/Lisbon', ...times })
  await make('properties', { propertyGroupId: group.id })
  await make('properties', { propertyGroupId: group.id, isDisabled: true })
  await make('properties')

  const answer = await client('GET /property-groups/{id}', { id: group.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, { id: group.id, name: 'Costa "Sul"', timezone: 'Europe/Lisbon', propertyCount: 2, ...times })
})

test('an empty group without a time zone counts no properties', async () => {
  const group = await make('property_groups', { name: 'Hills' })

  const { data } = await client('GET /property-groups/{id}', { id: group.id })

  assert.equal(data.propertyCount, 0)
  assert.equal(data.timezone, null)
})

test("another organization's property group does not exist", async () => {
  const other = await organization(database)
  const group = await other.make('property_groups', { name: 'Theirs' })

  const answer = await client('GET /property-groups/{id}', { id: group.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'property_group_not_found')
})
