import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, clientOf, organization, server, testServer } from '../../../test/helper.ts'
import type { Permission } from '../../http/permissions.ts'

let now = new Date('2026-06-01T16:15:29.999Z')
const clock = () => now
const { client, make, member, keyFor, database, owner } = await testServer({ clock })
const otherNode = server({ clock }).app

const refusal = ({ status, error }: Answer) => [status, error?.code]
const onShift: Permission[] = ['view_shifts', 'view_analytics']
const start = '2026-06-01T08:00:00.000Z'
const rates = { hourlyCostCents: 1_000, hourlyBillableCents: 2_000 }

/** A member who has been at work since eight, with a key that can clock in and out, and sees what time is charged at. */
async function worker(entry: Parameters<typeof make>[1] = {}, columns: Parameters<typeof member>[0] = {}) {
  const someone = await member({ ...rates, ...columns })
  const { key } = await keyFor(someone.id, { permissions: onShift })
  const running = await make('time_entries', { memberId: someone.id, startTime: start, notes: 'Before', ...entry })
  return {
    ...someone,
    key,
    entryId: running.id,
    clockOut: (body: unknown = {}) => client('POST /time-entries/clock-out', { key, body }),
  }
}

test('clocking out ends the entry now, in whole minutes and charged at the rates of the member', async () => {
  const { id, entryId, clockOut } = await worker()

  const answer = await clockOut()

  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.data, (await client('GET /time-entries/{id}', { id: entryId })).data)
  const { startTime, endTime, durationMinutes, attributedCostCents, attributedBillableCents, notes, updatedAt } = answer.data
  assert.deepEqual([startTime, endTime, updatedAt], [start, now.toISOString(), now.toISOString()])
  assert.deepEqual([durationMinutes, attributedCostCents, attributedBillableCents, notes], [495, 8_250, 16_500, 'Before'])
  assert.deepEqual([answer.data.isApproved, answer.data.isAutoClockedOut, answer.data.editedAt], [null, false, null])
  const [event, ...more] = (await client('GET /events', { query: { entityId: entryId } })).data
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.memberId, event.requestId], ['time_entry.clocked_out', id, answer.meta.requestId])
  assert.deepEqual(event.changes, {
    endTime: { from: null, to: now.toISOString() },
    durationMinutes: { from: null, to: 495 },
    attributedCostCents: { from: null, to: 8_250 },
    attributedBillableCents: { from: null, to: 16_500 },
  })
})

test('without view_analytics, nobody learns from clocking out what time is charged at', async () => {
  const { id, entryId } = await worker()
  const { key } = await keyFor(id, { permissions: ['view_shifts'] })
  const { data } = await client('POST /time-entries/clock-out', { key, body: {} })
  assert.deepEqual([data.durationMinutes, data.attributedCostCents, data.attributedBillableCents], [495, null, null])
  const full = (await client('GET /time-entries/{id}', { id: entryId })).data
  assert.deepEqual(full, { ...data, attributedCostCents: 8_250, attributedBillableCents: 16_500 })
})

test('given notes replace those of the entry, and the event says so', async () => {
  const { entryId, clockOut } = await worker()
  assert.equal((await clockOut({ notes: 'Lift out of order' })).data.notes, 'Lift out of order')
  const [event] = (await client('GET /events', { query: { entityId: entryId } })).data
  assert.deepEqual(event.changes.notes, { from: 'Before', to: 'Lift out of order' })
})

test('a paid break is charged, an unpaid one is not, nor is the work of a member without rates', async () => {
  const definition = async (isPaid: boolean) => ({
    type: 'break',
    breakDefinitionId: (await make('break_definitions', { name: 'Rest', isPaid })).id,
  })
  const cents = async ({ clockOut }: Awaited<ReturnType<typeof worker>>) => {
    const { data } = await clockOut()
    return [data.durationMinutes, data.attributedCostCents, data.attributedBillableCents]
  }
  assert.deepEqual(await cents(await worker(await definition(true))), [495, 8_250, 16_500])
  assert.deepEqual(await cents(await worker(await definition(false))), [495, null, null])
  assert.deepEqual(await cents(await worker({}, { hourlyCostCents: null })), [495, null, 16_500])
})

test('who is not clocked in hears so, and a second clocking out ends nothing', async () => {
  const { clockOut } = await worker()
  assert.equal((await clockOut()).status, 200)
  assert.deepEqual(refusal(await clockOut()), [409, 'not_clocked_in'])
  assert.deepEqual(refusal(await client('POST /time-entries/clock-out', { body: {} })), [409, 'not_clocked_in'])
})

test('of several at once, on two nodes and by two people, one clocks out', async () => {
  for (let round = 0; round < 4; round++) {
    const { id, key, entryId } = await worker()
    const answers = await Promise.all([
      client('POST /time-entries/clock-out', { key, body: {} }),
      clientOf(otherNode, key)('POST /time-entries/clock-out', { body: {} }),
      client('POST /time-entries/clock-out', { body: { memberId: id } }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    assert.equal((await client('GET /events', { query: { entityId: entryId } })).data.length, 1)
  }
})

test('after clocking out one may clock in again', async () => {
  const { key, clockOut, entryId } = await worker()
  await clockOut()
  const again = await client('POST /time-entries/clock-in', { key, body: {} })
  assert.equal(again.status, 200)
  assert.notEqual(again.data.id, entryId)
})

test('someone else, suspended or not, is clocked out only with manage_shifts', async () => {
  const colleague = await worker()
  const me = await worker()
  const denied = await me.clockOut({ memberId: colleague.id })
  assert.deepEqual([...refusal(denied), denied.error.details.permission], [403, 'permission_denied', 'manage_shifts'])
  assert.equal((await me.clockOut({ memberId: me.id })).data.id, me.entryId)
  const supervisor = (await keyFor(owner.id, { permissions: ['view_shifts', 'manage_shifts'] })).key
  await client('POST /members/{id}/suspend', { id: colleague.id })
  const answer = await client('POST /time-entries/clock-out', { key: supervisor, body: { memberId: colleague.userId } })
  assert.deepEqual([answer.status, answer.data.id], [200, colleague.entryId])
})

test('of several running entries, which only an import can bring, the latest ends first', async () => {
  const { id, entryId, clockOut } = await worker()
  const later = await make('time_entries', { memberId: id, startTime: '2026-06-01T09:00:00Z' })
  assert.equal((await clockOut()).data.id, later.id)
  assert.equal((await clockOut()).data.id, entryId)
})

test('a clock that went backwards ends the entry where it began, and one forgotten for an age overflows nothing', async () => {
  const early = await worker({ startTime: '2026-06-01T16:15:30.000Z' })
  const { data } = await early.clockOut()
  assert.deepEqual([data.endTime, data.durationMinutes, data.attributedCostCents], ['2026-06-01T16:15:30.000Z', 0, 0])
  const dear = { hourlyCostCents: Number.MAX_SAFE_INTEGER }
  const forgotten = await (await worker({ startTime: '0001-01-01T00:00:00Z' }, dear)).clockOut()
  assert.equal(forgotten.status, 200)
  assert.equal(forgotten.data.attributedCostCents, Number.MAX_SAFE_INTEGER)
})

test('half a minute counts as a whole one', async () => {
  const { clockOut } = await worker()
  now = new Date('2026-06-01T16:15:30.000Z')
  assert.equal((await clockOut()).data.durationMinutes, 496)
})

test("an unknown member, and another organization's running entry, are not there", async () => {
  const other = await organization(database)
  await other.make('time_entries', { memberId: other.owner.id, startTime: start })
  for (const memberId of [other.owner.id, other.owner.userId, v7()]) {
    const answer = await client('POST /time-entries/clock-out', { body: { memberId } })
    assert.deepEqual([...refusal(answer), answer.error.details.field], [422, 'invalid_reference', 'memberId'])
  }
})

const broken: [body: unknown, issue: string][] = [
  [{ memberId: 'me' }, 'body.memberId format'],
  [{ memberId: null }, 'body.memberId type'],
  [{ notes: 'x'.repeat(20_001) }, 'body.notes max_length'],
  [{ endTime: start }, 'body.endTime unknown'],
]
for (const [body, issue] of broken)
  test(`${JSON.stringify(body).slice(0, 60)} is 400 and says why`, async () => {
    const answer = await client('POST /time-entries/clock-out', { body })
    assert.equal(answer.status, 400)
    const [{ path, code }] = answer.error.details.issues
    assert.equal(`${path} ${code}`, issue)
  })
