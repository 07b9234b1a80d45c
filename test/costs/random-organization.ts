import fc from 'fast-check'
import { v7 } from 'uuid'
import type { Database } from '../../src/db/db.ts'
import { raw, sql } from '../../src/db/sql.ts'
import { organization } from '../helper.ts'

export type Entry = {
  id: string
  memberId: string
  startTime: number
  endTime: number | null
  durationMinutes: number | null
  cost: number | null
  billable: number | null
  isApproved: boolean | null
  breakId: string | null
  departmentId: string | null
  propertyId: string | null
  taskId: string | null
  auto: boolean
  editedAt: number | null
}
export type Cost = {
  id: string
  memberId: string | null
  timeEntryId: string | null
  incurredAt: number
  cost: number
  billable: number | null
  isApproved: boolean | null
  departmentId: string | null
  propertyId: string | null
  taskId: string | null
}
export type Person = { id: string; userId: string; firstName: string | null; lastName: string | null }
export type Made = {
  organizationId: string
  key: string
  people: Person[]
  breaks: { id: string; isPaid: boolean }[]
  departments: string[]
  properties: string[]
  entries: Entry[]
  costs: Cost[]
  /** The oddities that its entries lie around. */
  odd: readonly (typeof oddities)[number][]
}

/** Where local days are odd: the zone, and an instant near the oddity. */
export const oddities: readonly [zone: string, near: string][] = [
  ['Europe/Madrid', '2024-03-31T01:00:00Z'], // a day of 23 hours
  ['Europe/Lisbon', '2024-10-27T01:00:00Z'], // of 25
  ['America/New_York', '2024-11-03T06:00:00Z'],
  ['Australia/Lord_Howe', '2024-10-05T15:30:00Z'], // clocks go on by half an hour
  ['Asia/Kolkata', '2024-12-31T18:30:00Z'], // a year ends at half past
  ['America/St_Johns', '2010-11-07T02:31:00Z'], // 00:01 becomes 23:01: a day comes again
  ['Pacific/Apia', '2011-12-30T10:00:00Z'], // a day is left out
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'], // midnight is left out
  ['America/Havana', '2024-11-03T05:00:00Z'],
  ['Africa/Casablanca', '2024-04-14T02:00:00Z'], // winter time for a month
  ['Asia/Pyongyang', '2015-08-14T15:00:00Z'], // the rule changes
  ['America/Caracas', '2007-12-09T07:00:00Z'],
  ['Asia/Kathmandu', '1985-12-31T18:30:00Z'],
  ['Africa/Monrovia', '1972-01-07T00:44:30Z'], // an offset with seconds
  ['UTC', '2024-12-30T00:00:00Z'], // the year's last Monday
]

const minute = 60_000
const hour = 60 * minute
export const day = 24 * hour

/** Near an oddity to the millisecond, on a full minute or an hour; or somewhere in the half year around it. */
const instantNear = (near: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -40, max: 40 }).map((hours) => near + hours * hour) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.integer({ min: -40, max: 40 }), fc.constantFrom(-1, 1))
        .map(([hours, ms]) => near + hours * hour + ms),
    },
    { weight: 3, arbitrary: fc.integer({ min: -3_000, max: 3_000 }).map((minutes) => near + minutes * minute) },
    { weight: 3, arbitrary: fc.integer({ min: -90 * day, max: 90 * day }).map((ms) => near + ms) },
  )

const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null, freq: 4 })
const cents = fc.oneof(fc.integer({ min: -5_000, max: 20_000 }), fc.constant(0), fc.integer({ min: 2 ** 31, max: 2 ** 41 }))

/** An organization whose entries and costs lie around one or two oddities, as the seed has it, stored in the database. */
export async function randomOrganization(database: Database, seed: number): Promise<Made> {
  // Ten organizations with seeds in a row meet every oddity.
  const odd = [seed * 2, seed * 2 + 1].map((n) => oddities[n % oddities.length]!)
  const { organizationId, key, owner, member, make } = await organization(database)
  await database.transaction((trx) =>
    trx.run(sql`update organizations set timezone = ${odd[0]![0]} where id = ${organizationId}`),
  )
  const names = ['Abreu', 'Brito', 'Costa', null]
  const people: Person[] = [{ id: owner.id, userId: owner.userId, firstName: 'Olga', lastName: 'Owner' }]
  for (let i = 0; i < 6; i++) {
    const [firstName, lastName] = [names[(i * 3) % 4]!, names[(i * 7 + 1) % 4]!]
    const { id, userId } = await member({ firstName, lastName })
    people.push({ id, userId, firstName, lastName })
  }
  const made = async (table: string, rows: object[]) =>
    Promise.all(rows.map((row) => make(table, row as Record<string, string>).then(({ id }) => id)))
  const paid = [true, true, false]
  const breaks = (
    await made(
      'break_definitions',
      paid.map((isPaid) => ({ name: 'Pause', isPaid })),
    )
  ).map((id, i) => ({ id, isPaid: paid[i]! }))
  const departments = await made('departments', [{ name: 'Cleans' }, { name: 'Repairs' }])
  const properties = await made('properties', [{ name: 'Azul' }, { name: 'Verde' }])
  const tasks = await made(
    'tasks',
    Array.from({ length: 6 }, (_, i) => ({ name: `Task ${i}`, departmentId: departments[0] })),
  )

  const context = {
    departmentId: orNull(departments),
    propertyId: orNull(properties),
    taskId: orNull(tasks),
    isApproved: orNull([true, false]),
  }
  const id = fc.constant(0).map(() => v7())
  const at = fc.oneof(...odd.map(([, near]) => instantNear(Date.parse(near))))
  const entry = fc
    .record({
      id,
      ...context,
      memberId: fc.constantFrom(...people.map((one) => one.id)),
      startTime: at,
      seconds: fc.option(fc.integer({ min: 0, max: 30 * 3600 }), { freq: 8, nil: null }),
      cost: fc.option(cents, { nil: null }),
      billable: fc.option(cents, { nil: null }),
      breakId: fc.option(fc.constantFrom(...breaks.map((one) => one.id)), { freq: 1, nil: null }),
      auto: fc.boolean(),
      edited: fc.boolean(),
    })
    .map(
      ({ seconds, edited, ...rest }): Entry => ({
        ...rest,
        endTime: seconds === null ? null : rest.startTime + seconds * 1000,
        durationMinutes: seconds === null ? null : Math.round(seconds / 60),
        editedAt: edited ? rest.startTime + day : null,
      }),
    )
  const entries = fc.sample(entry, { seed, numRuns: 140 })
  const cost = fc.record({
    id,
    ...context,
    memberId: orNull(people.map((one) => one.id)),
    timeEntryId: fc.option(fc.constantFrom(...entries.map((one) => one.id)), { freq: 1, nil: null }),
    incurredAt: at,
    cost: cents,
    billable: fc.option(cents, { nil: null }),
  })
  const costs: Cost[] = fc.sample(cost, { seed: seed + 1, numRuns: 70 })
  await store(database, organizationId, { entries, costs })
  return { organizationId, key, people, breaks, departments, properties, entries, costs, odd }
}

async function store(
  database: Database,
  organizationId: string,
  { entries, costs }: Pick<Made, 'entries' | 'costs'>,
): Promise<void> {
  const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())
  const common = (row: Entry | Cost) => ({
    organization_id: organizationId,
    id: row.id,
    member_id: row.memberId,
    is_approved: row.isApproved,
    department_id: row.departmentId,
    property_id: row.propertyId,
    task_id: row.taskId,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  })
  const entryRows = entries.map((row) => ({
    ...common(row),
    type: row.breakId ? 'break' : 'work',
    start_time: time(row.startTime),
    end_time: time(row.endTime),
    duration_minutes: row.durationMinutes,
    attributed_cost_cents: row.cost,
    attributed_billable_cents: row.billable,
    break_definition_id: row.breakId,
    is_auto_clocked_out: row.auto,
    edited_at: time(row.editedAt),
  }))
  const costRows = costs.map((row) => ({
    ...common(row),
    time_entry_id: row.timeEntryId,
    cost_type: 'other',
    total_cost_cents: row.cost,
    billable_total_cents: row.billable,
    incurred_at: time(row.incurredAt),
  }))
  await database.transaction(async (trx) => {
    for (const [table, rows] of [
      ['time_entries', entryRows],
      ['cost_items', costRows],
    ] as const)
      await trx.run(
        sql`insert into ${raw(table)} select * from jsonb_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows)}::jsonb)`,
      )
  })
}
