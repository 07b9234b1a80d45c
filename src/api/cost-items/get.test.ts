import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()

test('a cost of which little is known answers nulls; not decided upon, it is not approved', async () => {
  const { id } = await make('cost_items', {
    costType: 'expense',
    totalCostCents: -1_890,
    incurredAt: '2026-06-01T08:00:00Z',
    createdAt: '2026-06-01T09:00:00Z',
    updatedAt: '2026-06-01T09:00:00Z',
  })

  const answer = await client('GET /cost-items/{id}', { id })

  assert.equal(answer.status, 200)
  const { id: _id, costType, totalCostCents, isApproved, incurredAt, createdAt, updatedAt, ...unknown } = answer.data
  assert.deepEqual([costType, totalCostCents, isApproved], ['expense', -1_890, false])
  assert.deepEqual(
    [incurredAt, createdAt, updatedAt],
    ['2026-06-01T08:00:00.000Z', '2026-06-01T09:00:00.000Z', '2026-06-01T09:00:00.000Z'],
  )
  assert.deepEqual(
    unknown,
    Object.fromEntries(
      [
        'memberId',
        'timeEntryId',
        'description',
        'quantity',
        'unitCostCents',
        'flatCostCents',
        'billableTotalCents',
        'photos',
        'departmentId',
        'departmentName',
        'departmentColor',
        'propertyId',
        'propertyName',
        'taskId',
        'taskTitle',
        'editedAt',
      ].map((field) => [field, null]),
    ),
  )
})

test("another organization's cost does not exist", async () => {
  const theirs = await (await organization(database)).make('cost_items', {
    costType: 'other',
    totalCostCents: 1,
    incurredAt: new Date(),
  })
  for (const id of [theirs.id, v7()]) {
    const answer = await client('GET /cost-items/{id}', { id })
    assert.deepEqual([answer.status, answer.error.code], [404, 'cost_item_not_found'])
  }
})
