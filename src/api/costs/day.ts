import Type from 'typebox'
import { arrayOf, projection } from '../../db/projection.ts'
import { join, raw, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { memberIn } from '../members/member.ts'
import { CostDay, dayCostRow, dayEntryRow, TimeZone } from './cost.ts'
import { rangesOf, zoneOf } from './local-days.ts'

export const getCostDay = read({
  route: 'GET /costs/day',
  id: 'getCostDay',
  summary: 'Read what one member did and spent on one day',
  permission: 'view_analytics',
  query: Type.Object({
    date: Type.String({ format: 'date', description: 'The local day.' }),
    memberId: Type.String({
      pattern: '^(null|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$',
      patternMessage: 'must be a uuid, or null',
      description: 'A member id or a user id; `null` for the costs that have no member.',
    }),
    tz: TimeZone,
  }),
  response: CostDay,
  csv: {
    columns: [
      ...new Set(
        [CostDay.properties.entries, CostDay.properties.orphanCosts].flatMap((list) => Object.keys(list.items.properties)),
      ),
    ],
    rows: ({ entries, orphanCosts }) => [...entries, ...orphanCosts],
  },

  async handler({ db, actor, query }) {
    const { organizationId } = actor
    const ranges = rangesOf(await zoneOf(db, organizationId, query.tz), query.date)
    const member = (column: string) =>
      query.memberId === 'null' ? sql`${raw(column)} is null` : memberIn(column, organizationId, [query.memberId])
    const onDay = (column: string) =>
      ranges.length === 0
        ? raw('false')
        : sql`(${join(
            ranges.map(({ from, to }) => sql`${raw(column)} >= ${from} and ${raw(column)} < ${to}`),
            ' or ',
          )})`
    const entries = sql`from time_entries e
      where e.organization_id = ${organizationId} and ${member('e.member_id')} and ${onDay('e.start_time')}
      order by e.start_time, e.id`
    const costs = sql`from cost_items c
      where c.organization_id = ${organizationId} and ${member('c.member_id')} and ${onDay('c.incurred_at')} and c.time_entry_id is null
      order by c.incurred_at, c.id`
    const found = await db.one({
      row: projection(CostDay, 'day', { entries: arrayOf(dayEntryRow, entries), orphanCosts: arrayOf(dayCostRow, costs) }),
      from: raw('(select) day'),
    })
    return found!
  },
})
