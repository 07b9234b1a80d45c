import type { Static } from 'typebox'
import { type Projection, projection } from '../../db/projection.ts'
import { and, oneOfIds, raw, type Sql, sql } from '../../db/sql.ts'
import { memberIn } from '../members/member.ts'
import { CostPeriod } from './cost.ts'
import { instant } from './local-days.ts'
import type { Periods } from './periods.ts'

export type Filters = {
  departmentIds?: string[]
  memberIds?: string[]
  propertyIds?: string[]
  pendingOnly: boolean
}

/** A row of a member and a period under the alias `r`. What is the same in many rows is made into JSON once, not in each. */
const memberRow = projection(CostPeriod, 'r', {
  periodStart: sql`'"' || r.period_start || '"'`,
  memberId: raw('r.member_id_text'),
  memberFirstName: raw('r.first_name_text'),
  memberLastName: raw('r.last_name_text'),
})

/** A row of `costPeriods`: one of the answer or, where a period was kept, all of its rows with commas between. */
export const costPeriodRow = raw('r.text') as Projection<Static<typeof CostPeriod>>

/** Within a period: by last name, first name and member id, nulls last. */
export const costPeriodOrder = raw('r.place')

/**
 * The rows of one part, as a relation `r` of `text`, `period`, `place` and `is_pending`. Entries and cost items are one stream of
 * lines, read stretch by stretch and summed up once by member and period, so that a task that has both is counted once; names are joined to what
 * is left of them. Of `kept` (see `keptPeriods`) are the periods that need not be worked out.
 */
export function costPeriods(organizationId: string, { stretches, dates }: Periods, filters: Filters, kept = nothingKept): Sql {
  const paid = sql`array(select b.id from break_definitions b where b.organization_id = ${organizationId} and b.is_paid)`
  const instants = (end: 'from' | 'to') => stretches.map((stretch) => instant(stretch[end]))
  const lines = (table: string, alias: string, time: string) => {
    const given = and(
      sql`${raw(alias)}.organization_id = ${organizationId}`,
      sql`${raw(`${alias}.${time}`)} >= s.starts`,
      sql`${raw(`${alias}.${time}`)} < s.ends`,
      filters.departmentIds && oneOfIds(`${alias}.department_id`, filters.departmentIds),
      filters.memberIds && memberIn(`${alias}.member_id`, organizationId, filters.memberIds),
      filters.propertyIds && oneOfIds(`${alias}.property_id`, filters.propertyIds),
    )
    // The order is not needed: it leads the planner to the index of the time, also while the tables are empty and all look alike.
    return sql`missing s cross join lateral (
      select * from ${raw(`${table} ${alias}`)} where ${given} order by ${raw(`${alias}.${time}`)} offset 0) ${raw(alias)}`
  }
  return sql`(
    with stretch as materialized (
      select * from unnest(${instants('from')}::timestamptz[], ${instants('to')}::timestamptz[],
        ${stretches.map(({ number }) => String(number))}::int[], ${stretches.map(({ isWhole }) => String(isWhole))}::boolean[])
        s (starts, ends, period, is_whole)),
    kept as materialized (${kept}),
    missing as materialized (select s.* from stretch s where not exists (select from kept k where k.period = s.period)),
    named as materialized (
      select m.id, row_number() over (order by m.last_name, m.first_name, m.id) as place, to_json(m.id)::text as id_text,
        coalesce(to_json(m.first_name)::text, 'null') as first_name_text, coalesce(to_json(m.last_name)::text, 'null') as last_name_text
      from members m where m.organization_id = ${organizationId}
    )
    select k.rows as text, k.period, 0 as place, null::boolean as is_pending from kept k where k.rows <> ''
    union all
    select ${memberRow}, r.period, r.place, r.pending_count > 0 from (
      select s.*, (${dates}::text[])[s.period + 1] as period_start, n.place, coalesce(n.id_text, 'null') as member_id_text,
        coalesce(n.first_name_text, 'null') as first_name_text, coalesce(n.last_name_text, 'null') as last_name_text
      from (
        select l.member_id, l.period, count(*) as row_count,
          ${distinct(sql`array_agg(l.task_id) filter (where l.task_id is not null)`)} as task_count,
          count(l.pending_at) as pending_count, count(*) - count(l.pending_at) as approved_count, min(l.pending_at) as oldest_pending_at,
          coalesce(sum(l.worked), 0) as total_duration_minutes,
          coalesce(sum(l.paid_break), 0) as paid_break_minutes, coalesce(sum(l.unpaid_break), 0) as unpaid_break_minutes,
          coalesce(sum(l.labor_cost), 0) as labor_cost_cents, coalesce(sum(l.labor_billable), 0) as labor_billable_cents,
          coalesce(sum(l.cost), 0) as non_labor_cost_cents, coalesce(sum(l.billable), 0) as non_labor_billable_cents,
          coalesce(bool_or(l.is_auto_clocked_out), false) as has_auto_clock_out, coalesce(bool_or(l.is_edited), false) as has_edits
        from (
          select e.member_id, s.period, e.task_id,
            case when e.is_approved is not true then e.start_time end as pending_at,
            case when e.type = 'work' then e.duration_minutes end as worked,
            case when e.type = 'break' and e.break_definition_id = any(${paid}) then e.duration_minutes end as paid_break,
            case when e.type = 'break' and e.break_definition_id <> all(${paid}) then e.duration_minutes end as unpaid_break,
            e.attributed_cost_cents as labor_cost, e.attributed_billable_cents as labor_billable,
            null::bigint as cost, null::bigint as billable, e.is_auto_clocked_out, e.edited_at is not null as is_edited
          from ${lines('time_entries', 'e', 'start_time')}
          union all
          select c.member_id, s.period, c.task_id, case when c.is_approved is not true then c.incurred_at end,
            null, null, null, null, null, c.total_cost_cents, c.billable_total_cents, null, null
          from ${lines('cost_items', 'c', 'incurred_at')}
        ) l
        group by l.member_id, l.period
        ${filters.pendingOnly ? sql`having count(l.pending_at) > 0` : sql``}
      ) s
      left join named n on n.id = s.member_id
    ) r
  ) r`
}

const nothingKept = sql`select null::int as period, null::text as rows where false`

/**
 * SQL of how many different ids an array has; 0 for null. `count(distinct …)` makes PostgreSQL sort all lines by their
 * groups; the words of a text search vector are sorted and kept once each. Such a vector holds a megabyte, so that beyond
 * 10,000 ids, in one row, they are counted the plain way.
 */
const distinct = (ids: Sql): Sql => sql`case
  when cardinality(${ids}) > 10000 then (select count(distinct id) from unnest(${ids}) as id)
  else coalesce(length(array_to_tsvector((${ids})::text[])), 0) end`
