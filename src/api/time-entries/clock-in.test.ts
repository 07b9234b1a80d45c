import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Answer, clientOf, organization, server, testServer } from '../../../test/helper.ts'
import type { Permission } from '../../http/permissions.ts'

const now = new Date('2026-06-01T08:00:00.250Z')
const { client, make, member, keyFor, database, owner } = await testServer({ clock: () => now })
const otherNode = server({ clock: () => now }).app

const refusal = ({ status, error }: Answer) => [status, error?.code]
const onShift: Permission[] = ['view_shifts']
/** A member with a key of their own, who can clock in and out and nothing else. */
async function worker(columns: Parameters<typeof member>[0] = {}) {
  const someone = await member({ hourlyCostCents: 1_500, ...columns })
  const { key } = await keyFor(someone.id, { permissions: onShift })
  return { ...someone, key, clockIn: (body: unknown = {}) => client('POST /time-entries/clock-in', { key, body }) }
}

const cleaning = await make('departments', { name: 'Cleaning', color: '#123456' })
const villa = await make('properties', { name: 'Villa' })
const task = await make('tasks', { name: 'Turnover', departmentId: cleaning.id, propertyId: villa.id })
const coffee = await make('break_definitions', { name: 'Coffee', isPaid: true })

test('clocking in begins the caller’s own work now: a running entry without minutes or cents', async () => {
  const { id: memberId, clockIn } = await worker()

  const answer = await clockIn()

  assert.equal(answer.status, 200, answer.text)
  const { id, ...rest } = answer.data
  assert.deepEqual(rest, {
    memberId,
    type: 'work',
    startTime: now.toISOString(),
    endTime: null,
    durationMinutes: null,
    attributedCostCents: null,
    attributedBillableCents: null,
    isApproved: null,
    breakDefinitionId: null,
    departmentId: null,
    departmentName: null,
    departmentColor: null,
    propertyId: null,
    propertyName: null,
    taskId: null,
    taskTitle: null,
    notes: null,
    isAutoClockedOut: false,
    editedAt: null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  })
  assert.deepEqual((await client('GET /time-entries/{id}', { id })).data, answer.data)
  const [event, ...more] = (await client('GET /events', { query: { entityId: id } })).data
  assert.equal(more.length, 0)
  assert.deepEqual([event.type, event.memberId, event.requestId], ['time_entry.clocked_in', memberId, answer.meta.requestId])
  assert.deepEqual(event.changes, { memberId: { to: memberId }, startTime: { to: now.toISOString() } })
})

test('a task brings its department and property along where none is given; a break names its kind', async () => {
  const { data } = await (await worker()).clockIn({ taskId: task.id, notes: 'Bring linen' })
  assert.deepEqual(
    [data.departmentName, data.departmentColor, data.propertyName, data.taskTitle, data.notes],
    ['Cleaning', '#123456', 'Villa', 'Turnover', 'Bring linen'],
  )
  const pause = await (await worker()).clockIn({ type: 'break', breakDefinitionId: coffee.id })
  assert.deepEqual([pause.data.type, pause.data.breakDefinitionId], ['break', coffee.id])
  for (const body of [{ type: 'break' }, { breakDefinitionId: coffee.id }])
    assert.deepEqual(refusal(await (await worker()).clockIn(body)), [422, 'break_mismatch'])
})

test('who is clocked in cannot clock in again, and hears which entry runs', async () => {
  const { clockIn } = await worker()
  const first = await clockIn()
  const second = await clockIn({ taskId: task.id })
  assert.deepEqual(refusal(second), [409, 'already_clocked_in'])
  assert.deepEqual(second.error.details, { timeEntryId: first.data.id })
})

test('of several at once, on two nodes and by two people, one clocks in', async () => {
  for (let round = 0; round < 4; round++) {
    const { id, userId, key } = await worker()
    const answers = await Promise.all([
      client('POST /time-entries/clock-in', { key, body: {} }),
      clientOf(otherNode, key)('POST /time-entries/clock-in', { body: {} }),
      client('POST /time-entries/clock-in', { body: { memberId: userId } }),
      clientOf(otherNode, key)('POST /time-entries/clock-in', { body: { memberId: id } }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const running = await client('GET /time-entries', { query: { memberIds: id, isRunning: true } })
    assert.equal(running.data.length, 1)
  }
})

test('a repeated request with its Idempotency-Key is answered with the entry it made', async () => {
  const { key } = await worker()
  const call = { key, body: {}, headers: { 'idempotency-key': 'punch' } }
  const [first, second] = [await client('POST /time-entries/clock-in', call), await client('POST /time-entries/clock-in', call)]
  assert.deepEqual([second.status, second.data], [200, first.data])
  assert.equal(second.headers['idempotency-replayed'], 'true')
})

test('someone else is clocked in only with manage_shifts; naming oneself needs no more than one’s own', async () => {
  const colleague = await worker()
  const me = await worker()
  const denied = await me.clockIn({ memberId: colleague.id })
  assert.deepEqual([...refusal(denied), denied.error.details.permission], [403, 'permission_denied', 'manage_shifts'])
  assert.equal((await me.clockIn({ memberId: me.userId.toUpperCase() })).data.memberId, me.id)
  const supervisor = (await keyFor(owner.id, { permissions: ['view_shifts', 'manage_shifts'] })).key
  const answer = await client('POST /time-entries/clock-in', { key: supervisor, body: { memberId: colleague.userId } })
  assert.deepEqual([answer.status, answer.data.memberId], [200, colleague.id])
})

test('a suspended member cannot be clocked in, an invited one can', async () => {
  const clockIn = async (columns: Parameters<typeof member>[0]) =>
    client('POST /time-entries/clock-in', { body: { memberId: (await member(columns)).id } })
  assert.deepEqual(refusal(await clockIn({ deactivatedAt: now })), [422, 'member_inactive'])
  assert.equal((await clockIn({ joinedAt: null })).status, 200)
})

test("every wrong reference is named at once, also another organization's, and nobody is clocked in", async () => {
  const other = await organization(database)
  const theirs = {
    breakDefinitionId: v7(),
    departmentId: (await other.make('departments', { name: 'Theirs' })).id,
    propertyId: v7(),
    taskId: v7(),
  }
  const fields = async (body: object) => {
    const answer = await client('POST /time-entries/clock-in', { body })
    assert.deepEqual(refusal(answer), [422, 'invalid_reference'])
    return answer.error.details.fields.map(({ field }: { field: string }) => field).sort()
  }
  assert.deepEqual(await fields({ type: 'break', ...theirs }), Object.keys(theirs).sort())
  assert.deepEqual(await fields({ memberId: other.owner.id, departmentId: v7() }), ['departmentId', 'memberId'])
  assert.deepEqual((await client('GET /time-entries', { query: { memberIds: owner.id } })).data, [])
})

const broken: [body: unknown, issue: string][] = [
  [{ memberId: 'me' }, 'body.memberId format'],
  [{ type: 'nap' }, 'body.type enum'],
  [{ breakDefinitionId: 1 }, 'body.breakDefinitionId type'],
  [{ departmentId: 'x' }, 'body.departmentId format'],
  [{ propertyId: null }, 'body.propertyId type'],
  [{ taskId: '' }, 'body.taskId format'],
  [{ notes: 5 }, 'body.notes type'],
  [{ startTime: now.toISOString() }, 'body.startTime unknown'],
]
for (const [body, issue] of broken)
  test(`${JSON.stringify(body)} is 400 and says why`, async () => {
    const answer = await client('POST /time-entries/clock-in', { body })
    assert.equal(answer.status, 400)
    const [{ path, code }] = answer.error.details.issues
    assert.equal(`${path} ${code}`, issue)
  })
