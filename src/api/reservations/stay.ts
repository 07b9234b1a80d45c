import Type from 'typebox'
import { snakeCase } from '../../db/projection.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type Issue, invalidRequest } from '../../http/errors.ts'
import { isDate, OffsetDateTime } from '../../http/schema.ts'

const defaultHours = { checkIn: 15, checkOut: 11 }

/** `checkIn` or `checkOut` in a request: an instant, or a day, which takes the property's default hour where the property is. */
export const StayMoment = (field: keyof typeof defaultHours) =>
  Type.Union([OffsetDateTime(), Type.String({ format: 'date' })], {
    description: `A date-time with any offset, cut off to milliseconds; or a date, which takes the property's \`default${
      field === 'checkIn' ? 'CheckIn' : 'CheckOut'
    }Hour\` (${defaultHours[field]} where it has none) in its time zone: the property's, else the organization's, else UTC. A time
that the clocks skip is later by what they skip; of one that comes twice it is the second.`,
    examples: field === 'checkIn' ? ['2026-06-01T15:00:00+02:00', '2026-06-01'] : ['2026-06-05', '2026-06-05T11:00:00+02:00'],
  })

/** `etaCheckIn` and `etaCheckOut` in a request (contract, section 4). */
export const Eta = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  patternMessage: 'must be a date-time in UTC with three fractional digits and Z',
  examples: ['2026-06-01T14:30:00.000Z'],
})

type Given = { checkIn?: string | undefined; checkOut?: string | undefined }

/** Throws 400 for moments that no answer could write: UTC outside the years 1 to 9999, or a date at the very ends of them. */
export function refuseUnwritable(given: Given, path: 'body' | 'body.data'): void {
  const issues: Issue[] = (['checkIn', 'checkOut'] as const)
    .filter((field) => given[field] !== undefined && !isWritable(given[field]))
    .map((field) => ({ path: `${path}.${field}`, code: 'range', message: 'must lie in the years 1 to 9999 of UTC' }))
  if (issues.length > 0) throw invalidRequest(issues)
}

// In no zone is the local day further than one from that of UTC.
const isWritable = (moment: string): boolean =>
  isDate(moment) ? moment > '0001-01-01' && moment < '9999-12-31' : isDate(new Date(moment).toISOString().slice(0, 10))

/** The fields of a request as JSON of columns. Moments that are only a date are left to `stayRows`. */
export function asColumns(given: Given & Record<string, unknown>): string {
  const instants = (['checkIn', 'checkOut'] as const).flatMap((field) => {
    const moment = given[field]
    return moment === undefined ? [] : [[field, isDate(moment) ? undefined : new Date(moment).toISOString()]]
  })
  const fields = Object.entries({ ...given, ...Object.fromEntries(instants) })
  return JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [snakeCase(name), value])))
}

/**
 * SQL that finishes reservations: `rows` yields each as it is (`stored`, null for a new one) and with the request's columns
 * (`wanted`); answered are `stored`, `made` (how it will be) and `in_order`, whether it leaves after it arrives.
 *
 * A date becomes its instant by the rules of the property of `wanted`; a new property brings its group; `night_count` follows
 * the local dates when they or the property change.
 */
export function stayRows(rows: Sql, { checkIn, checkOut }: Given): Sql {
  return sql`
    select w.stored, m.check_out > m.check_in is not false as in_order,
      jsonb_populate_record(w.wanted, jsonb_build_object(
        'check_in', m.check_in, 'check_out', m.check_out,
        'property_group_id', case when (w.wanted).property_id is distinct from (w.stored).property_id
          then p.property_group_id else (w.wanted).property_group_id end,
        'night_count', case when (m.check_in, m.check_out, (w.wanted).property_id)
            is distinct from ((w.stored).check_in, (w.stored).check_out, (w.stored).property_id)
          then coalesce((m.check_out at time zone z.zone)::date - (m.check_in at time zone z.zone)::date, (w.wanted).night_count)
          else (w.wanted).night_count end)) as made
    from (${rows}) w
    join organizations o on o.id = (w.wanted).organization_id
    left join properties p on p.organization_id = (w.wanted).organization_id and p.id = (w.wanted).property_id
    cross join lateral (select coalesce(p.timezone, o.timezone, 'UTC') as zone) z
    cross join lateral (select
      coalesce(${localHour(checkIn, sql`coalesce(p.default_check_in_hour, ${defaultHours.checkIn})`)}, (w.wanted).check_in)
        as check_in,
      coalesce(${localHour(checkOut, sql`coalesce(p.default_check_out_hour, ${defaultHours.checkOut})`)}, (w.wanted).check_out)
        as check_out) m`
}

/** The instant of an hour of a day in the zone `z.zone`; null where no date was given. */
const localHour = (moment: string | undefined, hour: Sql): Sql =>
  sql`(${moment !== undefined && isDate(moment) ? moment : null}::date + make_interval(hours => ${hour})) at time zone z.zone`
