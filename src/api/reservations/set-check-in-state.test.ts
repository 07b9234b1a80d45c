import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { checkInStates, occupancyMethods } from './reservation.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, database, owner } = await testServer({ clock: () => now })

const updatedAt = '2026-01-02T09:30:00.125Z'
const set = (id: string, checkInState: string, occupancyMethod: string) =>
  client('POST /reservations/{id}/check-in-state', { id, body: { checkInState, occupancyMethod } })
const read = async (id: string) => (await client('GET /reservations/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data

test('any state follows any other, by any method, and the answer is what a later read says', async () => {
  for (const from of [null, ...checkInStates])
    for (const [i, to] of checkInStates.entries()) {
      const { id } = await make('reservations', { checkInState: from, guestCount: 2, updatedAt })
      const before = await read(id)
      const occupancyMethod = occupancyMethods[i]!

      const answer = await set(id, to, occupancyMethod)

      assert.equal(answer.status, 200)
      assert.deepEqual(answer.data, { ...before, checkInState: to, occupancyMethod, updatedAt: now.toISOString() })
      assert.deepEqual(await read(id), answer.data)
    }
})

test('a change of state is an event of its own, with the caller and the request', async () => {
  const { id } = await make('reservations', { checkInState: 'not_checked_in' })
  const answer = await set(id, 'checked_in', 'smart_lock')
  const [event, ...others] = await eventsOf(id)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['reservation.check_in_state_changed', 'reservation', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, {
    checkInState: { from: 'not_checked_in', to: 'checked_in' },
    occupancyMethod: { from: null, to: 'smart_lock' },
  })
})

test('the state that it has changes nothing but the method, and with the same method nothing at all', async () => {
  const { id } = await make('reservations', { checkInState: 'checked_in', occupancyMethod: 'dashboard', updatedAt })
  const before = await read(id)
  assert.deepEqual((await set(id, 'checked_in', 'dashboard')).data, before)
  assert.deepEqual(await eventsOf(id), [])

  const answer = await set(id, 'checked_in', 'guest_portal')

  assert.deepEqual(answer.data, { ...before, occupancyMethod: 'guest_portal', updatedAt: now.toISOString() })
  const [event] = await eventsOf(id)
  assert.deepEqual(
    [event.type, event.changes],
    ['reservation.updated', { occupancyMethod: { from: 'dashboard', to: 'guest_portal' } }],
  )
})

test('of the same change sent several times at once one is an event', async () => {
  const { id } = await make('reservations', { checkInState: 'not_checked_in' })
  const answers = await Promise.all(Array.from({ length: 6 }, () => set(id, 'checked_out', 'workflow_action')))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal((await eventsOf(id)).length, 1)
})

test('both fields are required, from their lists, and alone', async () => {
  const { id } = await make('reservations')
  const good = { checkInState: 'checked_in', occupancyMethod: 'dashboard' }
  const cases: [object, string][] = [
    [{ occupancyMethod: 'dashboard' }, 'body.checkInState'],
    [{ checkInState: 'checked_in' }, 'body.occupancyMethod'],
    [{ ...good, checkInState: 'asleep' }, 'body.checkInState'],
    [{ ...good, checkInState: null }, 'body.checkInState'],
    [{ ...good, checkInState: 'Checked_in' }, 'body.checkInState'],
    [{ ...good, occupancyMethod: 'phone' }, 'body.occupancyMethod'],
    [{ ...good, occupancyMethod: 1 }, 'body.occupancyMethod'],
    [{ ...good, note: 'late' }, 'body.note'],
  ]
  for (const [body, path] of cases) {
    const { status, error } = await client('POST /reservations/{id}/check-in-state', { id, body })
    assert.deepEqual([status, error.details?.issues.map((issue: { path: string }) => issue.path)], [400, [path]])
  }
})

test("another organization's reservation does not exist", async () => {
  const theirs = await (await organization(database)).make('reservations')
  for (const id of [theirs.id, v7()]) {
    const answer = await set(id, 'checked_in', 'dashboard')
    assert.deepEqual([answer.status, answer.error.code], [404, 'reservation_not_found'])
  }
})
