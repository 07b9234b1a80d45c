import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keepCosts } from '../../src/api/costs/kept.ts'
import { clientOf, server } from '../helper.ts'
import { type CostQuery, calculated, instantOf, isEntry, localDate, sum } from './calculated.ts'
import { day, type Made, oddities, randomOrganization } from './random-organization.ts'

const { app, database } = server()
/** Named in the tests' names. COSTS_SEED makes the same organizations again. */
const seed = Number(process.env.COSTS_SEED ?? Date.now() % 1_000_000)
const organizations = 10
const queriesEach = 250

const zones = Intl.supportedValuesOf('timeZone')
const zoneOf = (odd: Made['odd']) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...odd.map(([name]) => name)) },
    { weight: 1, arbitrary: fc.constantFrom(...oddities.map(([name]) => name)) },
    { weight: 2, arbitrary: fc.constantFrom(...zones) },
  )

for (let one = 0; one < organizations; one++) {
  const own = seed + one
  const made = await randomOrganization(database, own)
  const client = clientOf(app, made.key)
  const query = queryOf(made)

  /** Compares so many answers, and tells how many rows they had. */
  async function compare(queries: fc.Arbitrary<CostQuery>, numRuns: number): Promise<number> {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(queries, async (asked) => {
        const answer = await client('GET /costs', { query: asked })
        assert.equal(answer.status, 200, answer.text)
        assert.deepEqual(answer.data, calculated(made, asked))
        rows += answer.data.length
      }),
      { numRuns, endOnFailure: true },
    )
    return rows
  }

  test(`costs of random organization ${own}: every column of every row is what a second calculation says`, async () => {
    assert.ok((await compare(query, queriesEach)) > queriesEach)
  })

  test(`costs of random organization ${own}: so is what was kept`, async () => {
    const latest = Math.max(...[...made.entries, ...made.costs].map(instantOf))
    assert.ok((await keepCosts(database, { now: new Date(latest + 10 * day), organizationId: made.organizationId })) > 100)
    const tz = made.odd[0]![0]
    const unfiltered = query.map(({ start, end, groupBy, pendingOnly }) => ({ start, end, groupBy, pendingOnly, tz }))
    assert.ok((await compare(unfiltered, queriesEach / 2)) > queriesEach)
  })

  test(`costs of random organization ${own}: day details add up to day rows, and day rows to week rows`, async () => {
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const all = { ...asked, pendingOnly: false }
        const days = (await client('GET /costs', { query: { ...all, groupBy: 'day' } })).data as Row[]
        const weeks = (await client('GET /costs', { query: { ...all, groupBy: 'week' } })).data as Row[]
        for (const column of additive)
          assert.equal(sum(weeks.map((row) => row[column])), sum(days.map((row) => row[column])), column)
        for (const week of weeks) {
          const own = days.filter(
            (row) => row.memberId === week.memberId && daysBetween(week.periodStart, row.periodStart) in seven,
          )
          for (const column of additive) assert.equal(week[column], sum(own.map((row) => row[column])), column)
        }
        if (asked.departmentIds || asked.propertyIds) return
        // The range may cut off its first and last day; where a day comes again, their neighbours too.
        const whole = days.filter(({ periodStart }) =>
          [asked.start, asked.end].every((cut) => Math.abs(daysBetween(localDate(Date.parse(cut), asked.tz), periodStart)) > 1),
        )
        for (const row of whole.slice(0, 6)) await assertDay(row, asked.tz)
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })

  async function assertDay(row: Row, tz: string) {
    const { data } = await client('GET /costs/day', { query: { date: row.periodStart, memberId: row.memberId ?? 'null', tz } })
    const entries = data.entries as {
      attributedCostCents: number
      attributedBillableCents: number
      type: string
      durationMinutes: number | null
      isApproved: boolean
    }[]
    const costs = data.orphanCosts as { totalCostCents: number; billableTotalCents: number; isApproved: boolean }[]
    // Costs that hang on a time entry are in the row, and not in the contract's detail.
    const attached = made.costs.filter(
      (cost) => cost.timeEntryId && cost.memberId === row.memberId && localDate(cost.incurredAt, tz) === row.periodStart,
    )
    assert.equal(row.rowCount, entries.length + costs.length + attached.length)
    assert.equal(row.laborCostCents, sum(entries.map((entry) => entry.attributedCostCents)))
    assert.equal(row.laborBillableCents, sum(entries.map((entry) => entry.attributedBillableCents)))
    assert.equal(
      row.totalDurationMinutes,
      sum(entries.filter(({ type }) => type === 'work').map((entry) => entry.durationMinutes)),
    )
    assert.equal(
      row.paidBreakMinutes + row.unpaidBreakMinutes,
      sum(entries.filter(({ type }) => type === 'break').map((entry) => entry.durationMinutes)),
    )
    assert.equal(row.nonLaborCostCents, sum([...costs.map((cost) => cost.totalCostCents), ...attached.map(({ cost }) => cost)]))
    assert.equal(
      row.nonLaborBillableCents,
      sum([...costs.map((cost) => cost.billableTotalCents), ...attached.map(({ billable }) => billable)]),
    )
    assert.equal(row.approvedCount, [...entries, ...costs, ...attached].filter(({ isApproved }) => isApproved === true).length)
  }
}

const additive =
  'rowCount pendingCount approvedCount totalDurationMinutes paidBreakMinutes unpaidBreakMinutes laborCostCents laborBillableCents nonLaborCostCents nonLaborBillableCents'.split(
    ' ',
  ) as (keyof Numbers)[]
type Numbers = {
  [K in
    | 'rowCount'
    | 'pendingCount'
    | 'approvedCount'
    | 'totalDurationMinutes'
    | 'paidBreakMinutes'
    | 'unpaidBreakMinutes'
    | 'laborCostCents'
    | 'laborBillableCents'
    | 'nonLaborCostCents'
    | 'nonLaborBillableCents']: number
}
type Row = Numbers & { periodStart: string; memberId: string | null }
const seven = Array.from({ length: 7 })
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / day

/** Ranges of a minute to ten years; their ends lie on an entry, on a full hour or anywhere; every filter, also with ids of nobody. */
function queryOf({ odd, entries, costs, people, departments, properties }: Made): fc.Arbitrary<CostQuery> {
  const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined, freq: 2 })
  const instant = fc.oneof(
    fc.constantFrom(...[...entries, ...costs].map((line) => (isEntry(line) ? line.startTime : line.incurredAt))),
    fc
      .tuple(fc.constantFrom(...odd.map(([, near]) => Date.parse(near))), fc.integer({ min: -30 * 24, max: 30 * 24 }))
      .map(([at, hours]) => at + hours * 3_600_000),
    fc
      .tuple(fc.constantFrom(...odd.map(([, near]) => Date.parse(near))), fc.integer({ min: -100 * day, max: 100 * day }))
      .map(([at, ms]) => at + ms),
  )
  const length = fc.oneof(
    fc.integer({ min: 1, max: 40 }).map((days) => days * day),
    fc.integer({ min: 1, max: 3 * day }),
    fc.integer({ min: day, max: 3_660 * day }),
  )
  const text = (milliseconds: number) => new Date(milliseconds).toISOString()
  return fc
    .record({
      start: instant,
      length,
      groupBy: fc.constantFrom('day', 'week'),
      pendingOnly: fc.boolean(),
      tz: zoneOf(odd),
      departmentIds: some([...departments, 'nobody']),
      propertyIds: some([...properties, people[0]!.id]),
      memberIds: some([...people.map(({ id }) => id), ...people.map(({ userId }) => userId)]),
    })
    .map(
      ({ start, length: milliseconds, departmentIds, propertyIds, memberIds, ...rest }) =>
        ({
          ...rest,
          start: text(start),
          end: text(start + milliseconds),
          ...(departmentIds ? { departmentIds } : {}),
          ...(propertyIds ? { propertyIds } : {}),
          ...(memberIds ? { memberIds } : {}),
        }) as CostQuery,
    )
}
