import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { ids, organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, keyFor, database, owner } = await testServer({ clock: () => now })

const updatedAt = '2026-01-02T09:30:00.125Z'
const reorder = (body: object, key?: string) => client('POST /instructions/reorder', { body, ...(key ? { key } : {}) })

async function guide(size: number) {
  const { id: propertyId } = await make('properties', { name: 'Aurora' })
  const steps: string[] = []
  for (let n = 0; n < size; n++)
    steps.push(
      (await make('instructions', { propertyId, title: `${n} {{property.name}}`, fixedCode: '1', sortOrder: n, updatedAt })).id,
    )
  const read = async () => (await client('GET /instructions', { query: { propertyIds: propertyId } })).data
  return { propertyId, steps, read }
}

test('steps take the order of the list, and are answered in it as a later read says', async () => {
  const { propertyId, steps, read } = await guide(4)
  const [a, b, c, d] = steps as [string, string, string, string]

  const answer = await reorder({ propertyId, ids: [a, d.toUpperCase(), c, b] })

  assert.equal(answer.status, 200)
  assert.deepEqual(ids(answer), [a, d, c, b])
  assert.deepEqual(answer.data, await read())
  assert.deepEqual(
    answer.data.map((step: Record<string, unknown>) => [step.title, step.sortOrder, step.updatedAt]),
    [
      ['0 Aurora', 0, updatedAt],
      ['3 Aurora', 1, now.toISOString()],
      ['2 Aurora', 2, updatedAt],
      ['1 Aurora', 3, now.toISOString()],
    ],
  )
  const { data: events } = await client('GET /events', { query: { entityId: propertyId } })
  assert.deepEqual(
    [events.length, events[0].type, events[0].entityType, events[0].memberId, events[0].requestId],
    [1, 'instruction.reordered', 'property', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(events[0].changes, { instructionIds: { from: steps, to: [a, d, c, b] } })
})

test('the order that is there, or of no steps, changes nothing and is no event', async () => {
  const { propertyId, steps, read } = await guide(3)
  const before = await read()
  assert.deepEqual((await reorder({ propertyId, ids: steps })).data, before)
  const group = await make('property_groups', { name: 'Coast' })
  assert.deepEqual((await reorder({ propertyGroupId: group.id, ids: [] })).data, [])
  for (const entityId of [propertyId, group.id]) assert.deepEqual((await client('GET /events', { query: { entityId } })).data, [])
})

test('a list that is not exactly the steps of the scope is refused, with what is wrong', async () => {
  const { propertyId, steps, read } = await guide(3)
  const before = await read()
  const other = await guide(1)
  const [a, b, c] = steps as [string, string, string]
  const stranger = v7()
  const cases: [string[], { missing?: string[]; unknown?: string[]; repeated?: string[] }][] = [
    [[], { missing: [a, b, c] }],
    [[c, a], { missing: [b] }],
    [[a, b, c, stranger], { unknown: [stranger] }],
    [[other.steps[0]!, b, c], { missing: [a], unknown: [other.steps[0]!] }],
    [[a, b, c, a.toUpperCase()], { repeated: [a] }],
  ]
  for (const [list, wrong] of cases) {
    const { status, error } = await reorder({ propertyId, ids: list })
    assert.deepEqual([status, error.code], [422, 'instructions_mismatch'])
    assert.deepEqual(error.details, { field: 'ids', missing: [], unknown: [], repeated: [], ...wrong })
  }
  assert.deepEqual(await read(), before)
})

test('a group’s event is the group’s; lock codes show with view_lock_code alone', async () => {
  const group = await make('property_groups', { name: 'Coast' })
  const steps = []
  for (let n = 0; n < 2; n++)
    steps.push((await make('instructions', { propertyGroupId: group.id, fixedCode: '1', sortOrder: n })).id)
  const { key } = await keyFor(owner.id, { permissions: permissions.filter((one) => one !== 'view_lock_code') })
  const answer = await reorder({ propertyGroupId: group.id, ids: steps.toReversed() }, key)
  assert.deepEqual(
    answer.data.map((step: Record<string, unknown>) => [step.id, step.fixedCode]),
    steps.toReversed().map((id) => [id, null]),
  )
  const { data: events } = await client('GET /events', { query: { entityId: group.id } })
  assert.equal(events[0].entityType, 'property_group')
})

test('an unknown scope is 422, another organization’s too', async () => {
  const other = await organization(database)
  const house = await other.make('properties')
  const step = await other.make('instructions', { propertyId: house.id, sortOrder: 0 })
  for (const [field, id] of [
    ['propertyId', house.id],
    ['propertyGroupId', v7()],
  ] as const) {
    const { status, error } = await reorder({ [field]: id, ids: [step.id] })
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', field])
  }
})

test('what breaks its declaration is refused by name', async () => {
  const { propertyId } = await guide(0)
  const cases: [object, string][] = [
    [{ propertyId }, 'body.ids'],
    [{ ids: [] }, 'body.propertyId'],
    [{ propertyId, propertyGroupId: v7(), ids: [] }, 'body'],
    [{ propertyId: 'house', ids: [] }, 'body.propertyId'],
    [{ propertyId, ids: 'x' }, 'body.ids'],
    [{ propertyId, ids: ['x'] }, 'body.ids.0'],
    [{ propertyId, ids: Array.from({ length: 201 }, () => v7()) }, 'body.ids'],
    [{ propertyId, ids: [], order: 1 }, 'body.order'],
  ]
  for (const [body, path] of cases) {
    const { status, error } = await reorder(body)
    assert.deepEqual([status, error.details?.issues[0].path], [400, path])
  }
})
