import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, owner, database } = await testServer()

test('an entry answers with the names of what it was for', async () => {
  const department = await make('departments', { name: 'Limpeza "A"' })
  const property = await make('properties', {})
  const pause = await make('break_definitions', { name: 'Coffee', isPaid: true })
  const { id } = await make('time_entries', {
    memberId: owner.id,
    type: 'break',
    startTime: '2026-06-01T08:00:00.5Z',
    endTime: '2026-06-01T08:15:00.5Z',
    durationMinutes: 15,
    attributedCostCents: 0,
    isApproved: false,
    breakDefinitionId: pause.id,
    departmentId: department.id,
    propertyId: property.id,
    isAutoClockedOut: true,
    editedAt: '2026-06-02T00:00:00Z',
    createdAt: '2026-06-01T08:00:01Z',
    updatedAt: '2026-06-02T00:00:00Z',
  })

  const answer = await client('GET /time-entries/{id}', { id })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, {
    id,
    memberId: owner.id,
    type: 'break',
    startTime: '2026-06-01T08:00:00.500Z',
    endTime: '2026-06-01T08:15:00.500Z',
    durationMinutes: 15,
    attributedCostCents: 0,
    attributedBillableCents: null,
    isApproved: false,
    breakDefinitionId: pause.id,
    departmentId: department.id,
    departmentName: 'Limpeza "A"',
    departmentColor: null,
    propertyId: property.id,
    propertyName: null,
    taskId: null,
    taskTitle: null,
    notes: null,
    isAutoClockedOut: true,
    editedAt: '2026-06-02T00:00:00.000Z',
    createdAt: '2026-06-01T08:00:01.000Z',
    updatedAt: '2026-06-02T00:00:00.000Z',
  })
})

test("another organization's entry does not exist", async () => {
  const other = await organization(database)
  const theirs = await other.make('time_entries', { memberId: other.owner.id, startTime: new Date() })
  for (const id of [theirs.id, v7()]) {
    const answer = await client('GET /time-entries/{id}', { id })
    assert.deepEqual([answer.status, answer.error.code], [404, 'time_entry_not_found'])
  }
})
