import type { Database, Db, Trx } from '../../db/db.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { instant, zoneOf } from './local-days.ts'
import { costPeriodOrder, costPeriods, type Filters } from './period-rows.ts'
import { type GroupBy, inParts, type Periods, periodsOf } from './periods.ts'

// Days and weeks that are over for a day are worked out once and kept, as the JSON of their rows. A kept period is never
// wrong: whoever changes an entry or a cost of it deletes it in the same transaction, and a read works out what is not kept. Keeping
// and deleting exclude one another by a lock of the organization's, which those who delete share.

const day = 24 * 60 * 60_000
/** A request asks for no more. */
const longest = 3_660 * day

/** The periods of `stretch` that are kept; undefined for a request whose rows cannot be among them. */
export function keptPeriods(organizationId: string, zone: string, groupBy: GroupBy, filters: Filters): Sql | undefined {
  if (filters.departmentIds || filters.memberIds || filters.propertyIds) return undefined
  return sql`
    select s.period, k.rows from stretch s cross join lateral (
      select ${filters.pendingOnly ? sql`k.pending_rows` : sql`k.rows`} as rows from kept_costs k
      where k.organization_id = ${organizationId} and k.starts = s.starts and k.ends = s.ends
        and k.group_by = ${groupBy} and k.zone = ${zone} offset 0) k
    where s.is_whole`
}

/**
 * To be called by whatever adds or changes time entries or cost items, with the instants at which they begin or were incurred,
 * before and after: what was kept of their days and weeks holds no more.
 */
export function forgetKept(trx: Trx, organizationId: string, instants: readonly string[]): void {
  forget(
    trx,
    organizationId,
    sql`using unnest(${[...instants]}::timestamptz[]) i (at) where k.starts <= i.at and k.ends > i.at and k.starts > i.at - interval '9 days'`,
  )
}

/** The same for everything: after an import. */
export const forgetAllKept = (trx: Trx, organizationId: string): void => forget(trx, organizationId, sql`where true`)

function forget(trx: Trx, organizationId: string, which: Sql): void {
  // They need not be awaited: what fails here fails the transaction. The second sees what was kept before the first was granted.
  void trx.run(sql`select pg_advisory_xact_lock_shared(${lockOf(organizationId)})`).catch(() => {})
  void trx.run(sql`delete from kept_costs k ${which} and k.organization_id = ${organizationId}`).catch(() => {})
}

const lockOf = (organizationId: string): Sql => sql`hashtextextended(${`costs ${organizationId}`}, 0)`

/** Most statements of one run, each of about 62 periods. */
const maxParts = 30

/** Keeps what is over for a day and is not kept yet, of the organization or of all, and answers how many periods. */
export async function keepCosts(
  database: Database,
  { now, organizationId }: { now: Date; organizationId?: string },
): Promise<number> {
  const { db } = database.reader()
  const organizations = await db.rows<{ id: string; since: Date | null }>(sql`
    select o.id, least((select min(e.start_time) from time_entries e where e.organization_id = o.id),
      (select min(c.incurred_at) from cost_items c where c.organization_id = o.id)) as since
    from organizations o ${organizationId ? sql`where o.id = ${organizationId}` : sql``}`)
  let parts = 0
  let periods = 0
  for (const { id, since } of organizations) {
    if (!since) continue
    const zone = await zoneOf(db, id, undefined)
    await database.transaction((trx) => trx.run(sql`delete from kept_costs where organization_id = ${id} and zone <> ${zone}`))
    const start = Math.max(since.getTime(), now.getTime() - longest) - 9 * day
    for (const groupBy of ['day', 'week'] as const) {
      const due = await notKept(db, id, zone, groupBy, periodsOf(zone, start, now.getTime() - day, groupBy))
      for (const part of inParts(due)) {
        if (++parts > maxParts) return periods
        periods += await keep(database, id, zone, groupBy, part, now)
      }
    }
  }
  return periods
}

async function notKept(db: Db, organizationId: string, zone: string, groupBy: GroupBy, periods: Periods): Promise<Periods> {
  const rows = await db.rows<{ starts: Date }>(sql`
    select starts from kept_costs where organization_id = ${organizationId} and group_by = ${groupBy} and zone = ${zone}`)
  const known = new Set(rows.map(({ starts }) => starts.getTime()))
  const due = periods.stretches.filter(({ from, isWhole }) => isWhole && !known.has(from))
  return {
    stretches: due.map((stretch, number) => ({ ...stretch, number })),
    dates: due.map(({ number }) => periods.dates[number]!),
  }
}

/** Where a change is under way, the organization's turn comes another time. */
async function keep(
  database: Database,
  organizationId: string,
  zone: string,
  groupBy: GroupBy,
  periods: Periods,
  now: Date,
): Promise<number> {
  const [starts, ends] = [periods.stretches.map(({ from }) => instant(from)), periods.stretches.map(({ to }) => instant(to))]
  const rows = costPeriods(organizationId, periods, { pendingOnly: false })
  const joined = (condition: Sql) =>
    sql`coalesce(string_agg(r.text, ',' order by ${costPeriodOrder}) filter (where ${condition}), '')`
  return database.transaction(async (trx) => {
    const [{ free } = { free: false }] = await trx.rows<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockOf(organizationId)}) as free`,
    )
    if (!free) return 0
    return trx.run(sql`
      insert into kept_costs (organization_id, starts, ends, group_by, zone, rows, pending_rows, created_at)
      select ${organizationId}, s.starts, s.ends, ${groupBy}, ${zone}, ${joined(sql`r.text is not null`)}, ${joined(sql`r.is_pending`)}, ${now}
      from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) with ordinality s (starts, ends, number)
      left join ${rows} on r.period = s.number - 1
      group by s.starts, s.ends
      on conflict do nothing`)
  })
}
