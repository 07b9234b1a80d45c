import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { client, make, member, database, organizationId } = await testServer()
const bea = await member({ firstName: 'Bea', lastName: 'Brito' })
const ana = await member({ firstName: 'Ana', lastName: 'Brito' })
const nameless = await member({})
const year = { start: '2026-01-01T00:00:00.000Z', end: '2027-01-01T00:00:00.000Z' }

const work = (memberId: string, startTime: string, columns = {}) =>
  make('time_entries', { memberId, startTime, endTime: startTime, durationMinutes: 60, ...columns })
const spent = (incurredAt: string, columns = {}) =>
  make('cost_items', { costType: 'material', totalCostCents: 100, incurredAt, ...columns })

type Row = { periodStart: string; memberId: string | null; rowCount: number }
const brief = (rows: Row[]) => rows.map(({ periodStart, memberId, rowCount }) => [periodStart, memberId, rowCount])

test('the day is the local one of the organization unless tz says another', async () => {
  // 23:30 in Lisbon is half past midnight in Madrid, where the organization is.
  await work(bea.id, '2026-02-10T23:30:00Z')
  const range = { start: '2026-02-10T00:00:00.000Z', end: '2026-02-12T00:00:00.000Z' }
  const dayIn = async (tz?: string) => brief((await client('GET /costs', { query: { ...range, ...(tz ? { tz } : {}) } })).data)
  assert.deepEqual(await dayIn(), [['2026-02-11', bea.id, 1]])
  assert.deepEqual(await dayIn('Europe/Lisbon'), [['2026-02-10', bea.id, 1]])
  assert.deepEqual(await dayIn('asia/kolkata'), [['2026-02-11', bea.id, 1]])
})

test('an organization without a time zone counts in UTC', async () => {
  const setZone = (zone: string | null) =>
    database.transaction((trx) => trx.run(sql`update organizations set timezone = ${zone} where id = ${organizationId}`))
  await setZone(null)
  const query = { start: '2026-02-10T00:00:00.000Z', end: '2026-02-12T00:00:00.000Z' }
  assert.deepEqual(brief((await client('GET /costs', { query })).data), [['2026-02-10', bea.id, 1]])
  await setZone('Europe/Madrid')
})

test('rows come by period, then last name, first name and id, those without a name or a member last', async () => {
  const at = '2026-03-04T12:00:00Z'
  for (const { id } of [nameless, bea, ana]) await work(id, at)
  await spent(at)
  const query = { start: '2026-03-04T00:00:00.000Z', end: '2026-03-05T00:00:00.000Z', groupBy: 'week' }
  const { data } = await client('GET /costs', { query })
  assert.deepEqual(
    brief(data),
    [ana.id, bea.id, nameless.id, null].map((id) => ['2026-03-02', id, 1]),
  )
})

test('groupBy left out is day, and pendingOnly left out is true', async () => {
  await work(ana.id, '2026-04-01T12:00:00Z', { isApproved: true })
  await work(ana.id, '2026-04-02T12:00:00Z', { isApproved: false })
  await work(ana.id, '2026-04-02T13:00:00Z', { isApproved: true })
  const range = { start: '2026-04-01T00:00:00.000Z', end: '2026-04-03T00:00:00.000Z' }
  assert.deepEqual(brief((await client('GET /costs', { query: range })).data), [['2026-04-02', ana.id, 2]])
  const all = await client('GET /costs', { query: { ...range, pendingOnly: false } })
  assert.deepEqual(brief(all.data), [
    ['2026-04-01', ana.id, 1],
    ['2026-04-02', ana.id, 2],
  ])
  assert.deepEqual(Object.keys(all.meta), ['requestId'])
})

test('start is inclusive and end exclusive, to the millisecond', async () => {
  await work(ana.id, '2026-05-01T12:00:00.000Z')
  const rowsIn = async (start: string, end: string) => (await client('GET /costs', { query: { start, end } })).data.length
  assert.equal(await rowsIn('2026-05-01T12:00:00.000Z', '2026-05-01T12:00:00.001Z'), 1)
  assert.equal(await rowsIn('2026-05-01T11:59:59.999Z', '2026-05-01T12:00:00.000Z'), 0)
  assert.equal(await rowsIn('2026-05-01T12:00:00.001Z', '2026-05-01T12:00:00.002Z'), 0)
})

test('an answer of ten years comes in parts and misses nothing between them', async () => {
  const days = Array.from({ length: 300 }, (_, i) => new Date(Date.parse('2010-01-01T12:00:00Z') + i * 12 * 86_400_000))
  const rows = days.map((incurred_at) => ({ incurred_at }))
  await database.transaction((trx) =>
    trx.run(sql`insert into cost_items (organization_id, id, cost_type, total_cost_cents, incurred_at)
      select ${organizationId}, gen_random_uuid(), 'other', 5, incurred_at
      from jsonb_to_recordset(${JSON.stringify(rows)}) r (incurred_at timestamptz)`),
  )
  const query = { start: '2010-01-01T00:00:00.000Z', end: '2020-01-01T00:00:00.000Z' }
  const dates = days.map((date) => date.toISOString().slice(0, 10))
  const answer = await client('GET /costs', { query })
  assert.deepEqual(
    answer.data.map((row: Row) => row.periodStart),
    dates,
  )
  assert.equal(answer.meta.requestId, answer.headers['x-request-id'])
  const csv = await client('GET /costs', { query, headers: { accept: 'text/csv' } })
  const lines = csv.text.trimEnd().split('\r\n')
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[0]),
    dates,
  )
})

for (const [query, path, code] of [
  [{ start: '2026-01-01T00:00:00Z', end: year.end }, 'query.start', 'pattern'],
  [{ start: '2026-01-01T00:00:00.000+00:00', end: year.end }, 'query.start', 'pattern'],
  [{ start: '2026-02-30T00:00:00.000Z', end: year.end }, 'query.start', 'format'],
  [{ end: year.end }, 'query.start', 'required'],
  [{ start: year.end, end: year.end }, 'query.end', 'range'],
  [{ start: year.end, end: year.start }, 'query.end', 'range'],
  [{ ...year, tz: 'Europe/Nowhere' }, 'query.tz', 'time_zone'],
  [{ ...year, tz: '+01:00' }, 'query.tz', 'time_zone'],
  [{ ...year, tz: '' }, 'query.tz', 'min_length'],
  [{ ...year, groupBy: 'month' }, 'query.groupBy', 'enum'],
  [{ ...year, pendingOnly: '1' }, 'query.pendingOnly', 'type'],
] as const)
  test(`400: ${JSON.stringify(query)} breaks ${path}, ${code}`, async () => {
    const answer = await client('GET /costs', { query })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(
      answer.error.details.issues.map((issue: { path: string; code: string }) => [issue.path, issue.code]),
      [[path, code]],
    )
  })

test('3,660 days are answered, a millisecond more is 422', async () => {
  const start = Date.parse('2026-01-01T00:00:00.000Z')
  const end = start + 3_660 * 86_400_000
  const status = async (until: number) => {
    const query = { start: new Date(start).toISOString(), end: new Date(until).toISOString() }
    const answer = await client('GET /costs', { query })
    return [answer.status, answer.error?.code]
  }
  assert.deepEqual(await status(end), [200, undefined])
  assert.deepEqual(await status(end + 1), [422, 'period_too_long'])
})

test('a filter by ids that name nothing matches nothing', async () => {
  for (const name of ['departmentIds', 'memberIds', 'propertyIds'])
    assert.deepEqual((await client('GET /costs', { query: { ...year, [name]: ['null'] } })).data, [])
})

test('CSV has the columns of a row, and a name that reads as a formula is defused', async () => {
  const eve = await member({ firstName: '=HYPERLINK("http://evil.example")', lastName: 'Silva, Sá' })
  await spent('2026-06-10T12:00:00Z', { memberId: eve.id, totalCostCents: -250 })
  const query = { start: '2026-06-10T00:00:00.000Z', end: '2026-06-11T00:00:00.000Z' }
  const answer = await client('GET /costs', { query, headers: { accept: 'text/csv' } })
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
  const [head, line, ...rest] = answer.text.split('\r\n')
  const { data } = await client('GET /costs', { query })
  assert.equal(head, `\ufeff${Object.keys(data[0]).join(',')}`)
  assert.equal(
    line,
    `2026-06-10,${eve.id},"'=HYPERLINK(""http://evil.example"")","Silva, Sá",1,0,1,0,2026-06-10T12:00:00.000Z,0,0,0,0,0,-250,0,false,false`,
  )
  assert.deepEqual(rest, [''])
})

test('who accepts JSON as well or before gets JSON, and an error is JSON always', async () => {
  const typeOf = async (accept: string, query: object = year) =>
    (await client('GET /costs', { query: query as typeof year, headers: { accept } })).headers['content-type']
  assert.equal(await typeOf('*/*'), 'application/json; charset=utf-8')
  assert.equal(await typeOf('application/json, text/csv'), 'application/json; charset=utf-8')
  assert.equal(await typeOf('application/json;q=0.5, text/csv'), 'text/csv; charset=utf-8')
  assert.equal(await typeOf('text/csv;q=0'), 'application/json; charset=utf-8')
  assert.equal(await typeOf('text/csv', {}), 'application/json; charset=utf-8')
})
