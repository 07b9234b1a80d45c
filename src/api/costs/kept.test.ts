import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { importRecords } from '../../transfer/import.ts'
import { forgetKept, keepCosts } from './kept.ts'

const { client, make, member, database, organizationId, owner } = await testServer()
const now = new Date('2026-06-17T12:00:00.000Z')
const keep = () => keepCosts(database, { now, organizationId })
const helper = await member({ firstName: 'Ana', lastName: 'Brito' })
const pause = await make('break_definitions', { name: 'Lunch', isPaid: false })

/** Work, breaks and costs on each of the last 40 days. */
for (let day = 1; day <= 40; day++) {
  const at = (hour: number) => new Date(now.getTime() - day * 86_400_000 + hour * 3_600_000)
  for (const [memberId, isApproved] of [
    [owner.id, day % 3 === 0],
    [helper.id, null],
  ] as const) {
    const startTime = at(-4)
    await make('time_entries', {
      memberId,
      startTime,
      endTime: at(-1),
      durationMinutes: 180,
      attributedCostCents: 4_500,
      isApproved,
    })
  }
  const lunch = { type: 'break', breakDefinitionId: pause.id, durationMinutes: 30 }
  await make('time_entries', { memberId: owner.id, startTime: at(-1), endTime: at(0), ...lunch })
  await make('cost_items', { costType: 'other', totalCostCents: day, incurredAt: at(2) })
}

const range = { start: '2026-05-01T22:00:00.000Z', end: '2026-06-30T22:00:00.000Z' }
const rows = async (tz: string, more: object) => {
  const { status, data, text } = await client('GET /costs', { query: { ...range, tz, ...more } })
  assert.equal(status, 200, text)
  return data
}
const forms = [true, false].flatMap((pendingOnly) => ['day', 'week'].map((groupBy) => ({ pendingOnly, groupBy })))
/** The zone by another name: nothing is kept under it, so that all is worked out anew. */
const unkept = 'EUROPE/MADRID'

async function assertSame(why: string) {
  for (const form of forms)
    assert.deepEqual(await rows('Europe/Madrid', form), await rows(unkept, form), `${why}, ${JSON.stringify(form)}`)
}
const kept = async () =>
  (await database.reader().db.rows<{ starts: Date; groupBy: string }>(sql`
    select starts, group_by as "groupBy" from kept_costs where organization_id = ${organizationId} order by starts`)) ?? []

test('days and weeks that are over are kept, once, and answered as they were', async () => {
  const before = await Promise.all(forms.map((form) => rows('Europe/Madrid', form)))
  assert.ok((await keep()) > 40)
  assert.equal(await keep(), 0)
  assert.deepEqual(await Promise.all(forms.map((form) => rows('Europe/Madrid', form))), before)
  const last = (await kept()).at(-1)!
  assert.ok(last.starts.getTime() <= now.getTime() - 2 * 86_400_000, 'the day that ended less than a day ago is left')
})

test('what is kept is what is answered, unless a filter asks for less', async () => {
  const tamper = (text: string) =>
    database.transaction((trx) =>
      trx.run(sql`update kept_costs set rows = ${text} where organization_id = ${organizationId} and group_by = 'week'`),
    )
  await keep()
  await tamper('')
  const form = { groupBy: 'week', pendingOnly: false }
  const all = await rows(unkept, form)
  assert.ok((await rows('Europe/Madrid', form)).length < all.length)
  const own = all.filter(({ memberId }: { memberId: string }) => memberId === helper.id)
  assert.deepEqual(await rows('Europe/Madrid', { ...form, memberIds: [helper.id] }), own)
  await database.transaction((trx) => trx.run(sql`delete from kept_costs where organization_id = ${organizationId}`))
  await assertSame('all is worked out again')
})

const day = '2026-06-03'
const at = (time: string) => `${day}T${time}:00.000Z`
const running = await make('time_entries', { memberId: helper.id, startTime: at('06:00') })
const written = async (answer: ReturnType<typeof client>) => {
  const { status, data, text } = await answer
  assert.ok(status < 300, text)
  return data
}
let entryId = ''
const writes: Record<string, () => Promise<unknown>> = {
  'POST /time-entries': async () => {
    const body = { memberId: owner.id, startTime: at('10:00'), endTime: at('11:00') }
    entryId = (await written(client('POST /time-entries', { body }))).id
  },
  'PATCH /time-entries/{id}': () =>
    written(
      client('PATCH /time-entries/{id}', {
        id: entryId,
        body: { data: { startTime: '2026-05-20T10:00:00.000Z', endTime: '2026-05-20T12:00:00.000Z' } },
      }),
    ),
  'POST /approvals': () => written(client('POST /approvals', { body: { timeEntryIds: [entryId], isApproved: true } })),
  'POST /cost-items': () =>
    written(client('POST /cost-items', { body: { costType: 'material', totalCostCents: 77, incurredAt: at('15:00') } })),
  'POST /time-entries/clock-out': () =>
    written(client('POST /time-entries/clock-out', { body: { memberId: running.memberId as string } })),
  'an import': async () => {
    const lines = [{ id: pause.id, name: 'Lunch', isPaid: true }]
    const result = await database.transaction((trx) =>
      importRecords(trx, organizationId, { 'break-definitions': lines } as never),
    )
    assert.ok(result.ok, JSON.stringify(result))
  },
}

for (const [name, write] of Object.entries(writes))
  test(`${name} on a day that was kept shows at once, and the rest stays kept`, async () => {
    await keep()
    const before = await kept()
    await write()
    const after = await kept()
    assert.ok(after.length < before.length, 'something was forgotten')
    if (name !== 'an import') assert.ok(before.length - after.length <= 4, 'no more than the days and weeks that it touches')
    await assertSame(name)
    assert.equal(await keep(), before.length - after.length)
    await assertSame(`${name}, kept again`)
  })

test('nothing is kept while a change is under way', async () => {
  await keep()
  await database.transaction(async (trx) => {
    await trx.run(sql`insert into time_entries (organization_id, id, member_id, start_time, end_time, duration_minutes)
      values (${organizationId}, ${v7()}, ${owner.id}, ${at('17:00')}, ${at('18:00')}, 60)`)
    forgetKept(trx, organizationId, [at('17:00')])
    await trx.rows(sql`select 1`)
    if (process.env.TEST_DATABASE_URL) assert.equal(await keep(), 0)
  })
  await assertSame('the change has committed')
  assert.equal(await keep(), 2)
})

test('whoever writes and keeps at once, no answer is old', async () => {
  for (let round = 0; round < 15; round++) {
    const body = { memberId: owner.id, startTime: at('10:00'), endTime: at(`1${round % 9}:30`.replace('10:30', '19:30')) }
    await Promise.all([keep(), written(client('POST /time-entries', { body })), keep()])
    await assertSame(`round ${round}`)
  }
})

test('the periods of an abandoned time zone are forgotten', async () => {
  await keep()
  const zone = (name: string) =>
    database.transaction((trx) => trx.run(sql`update organizations set timezone = ${name} where id = ${organizationId}`))
  await zone('Asia/Kolkata')
  await keep()
  assert.ok((await kept()).every(({ starts }) => starts.toISOString().endsWith('T18:30:00.000Z')))
  assert.deepEqual(await rows('Asia/Kolkata', forms[0]!), await rows('ASIA/KOLKATA', forms[0]!))
  await zone('Europe/Madrid')
})
