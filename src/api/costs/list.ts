import Type from 'typebox'
import { raw } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError, invalidRequest } from '../../http/errors.ts'
import { Ids, OneOf } from '../../http/schema.ts'
import { CostPeriod, TimeZone } from './cost.ts'
import { keptPeriods } from './kept.ts'
import { zoneOf } from './local-days.ts'
import { costPeriodOrder, costPeriodRow, costPeriods } from './period-rows.ts'
import { inParts, periodsOf } from './periods.ts'

const maxDays = 3_660

const UtcMilliseconds = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
    patternMessage: 'must be a date-time in UTC with three fractional digits, such as 2026-06-01T00:00:00.000Z',
    description,
  })

export const listCosts = read({
  route: 'GET /costs',
  id: 'listCosts',
  summary: 'Sum up labour and costs by member and day or week',
  description:
    'Rows are ordered by period, then last name, first name and member id; a long answer is streamed. A time entry counts on the local day of its start, a cost item on the day it was incurred. With `Accept: text/csv`, an addition of Steward’s own, the same rows come as CSV for a spreadsheet.',
  permission: 'view_analytics',
  query: Type.Object({
    departmentIds: Ids('Entries and costs of one of these departments.'),
    end: UtcMilliseconds('Up to this instant, exclusive; after `start`, and at most 3,660 days after it.'),
    groupBy: OneOf(['day', 'week'], { default: 'day', description: 'A week begins on Monday.' }),
    memberIds: Ids('Those of one of these members, by member id or user id.'),
    pendingOnly: Type.Boolean({ default: true, description: 'Only rows with something that is not approved.' }),
    propertyIds: Ids('Entries and costs at one of these properties.'),
    start: UtcMilliseconds('From this instant on, inclusive.'),
    tz: TimeZone,
  }),
  response: Type.Array(CostPeriod),
  errors: ['period_too_long'],
  csv: { columns: Object.keys(CostPeriod.properties), rows: (rows) => rows },

  async handler({ db, actor, query }) {
    const [start, end] = [Date.parse(query.start), Date.parse(query.end)]
    if (start >= end) throw invalidRequest([{ path: 'query.end', code: 'range', message: 'must be after start' }])
    if (end - start > maxDays * 24 * 60 * 60_000) throw new ApiError('period_too_long', { maxDays })
    const zone = await zoneOf(db, actor.organizationId, query.tz)
    const { organizationId } = actor
    const kept = keptPeriods(organizationId, zone, query.groupBy, query)
    return db.parts({
      row: costPeriodRow,
      by: raw('r.period'),
      order: costPeriodOrder,
      from: inParts(periodsOf(zone, start, end, query.groupBy)).map((part) => costPeriods(organizationId, part, query, kept)),
    })
  },
})
