import { Temporal } from 'temporal-polyfill'
import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { invalidRequest } from '../../http/errors.ts'

const dayLength = 24 * 60 * 60_000

/** Instants, in milliseconds since 1970, from `from` until the next stretch (or the end), all on the local day `day`. */
export type Stretch = { from: number; day: number }

/**
 * The local days of `zone` in [start, end). A day is its number since 1970-01-01. Days follow one another, except where
 * clocks were set back over midnight: then a day comes again (America/St_Johns, until 2010: 00:01 became 23:01).
 */
export function localDays(zone: string, start: number, end: number): Stretch[] {
  const stretches: Stretch[] = []
  const offsets = offsetsBetween(zone, start, end)
  for (const [i, { from, offset }] of offsets.entries()) {
    const until = offsets[i + 1]?.from ?? end
    for (let at = from; at < until; ) {
      const day = Math.floor((at + offset) / dayLength)
      if (stretches.at(-1)?.day !== day) stretches.push({ from: at, day })
      at = (day + 1) * dayLength - offset
    }
  }
  return stretches
}

/** What local clocks of `zone` show more than UTC, in milliseconds, and from when on. */
function offsetsBetween(zone: string, start: number, end: number): { from: number; offset: number }[] {
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone)
  const offsets = []
  for (let from = start; at && from < end; from = at?.epochMilliseconds ?? end) {
    offsets.push({ from, offset: at.offsetNanoseconds / 1_000_000 })
    at = at.getTimeZoneTransition('next')
  }
  return offsets
}

/** The Monday of a day's week (ISO 8601). 1970-01-01 was a Thursday. */
export const mondayOf = (day: number): number => day - ((((day + 3) % 7) + 7) % 7)

/** `2026-06-01`. */
export const dateOf = (day: number): string => new Date(day * dayLength).toISOString().split('T')[0]!

/** The number of a date that exists. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayLength

/** The instants of a local day, as ranges [from, to) in ISO text. None for a day that a zone left out (Pacific/Apia, 2011-12-30). */
export function rangesOf(zone: string, date: string): { from: string; to: string }[] {
  const day = dayOf(date)
  // No clock is a whole day away from UTC, before it or behind.
  const end = (day + 2) * dayLength
  const stretches = localDays(zone, (day - 1) * dayLength, end)
  return stretches.flatMap(({ from, ...stretch }, i) =>
    stretch.day === day ? [{ from: instant(from), to: instant(stretches[i + 1]?.from ?? end) }] : [],
  )
}

export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The zone of a request: the one given, else the organization's, else UTC. Throws 400 for one that is not known. */
export async function zoneOf(db: Db, organizationId: string, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (!isZone(given)) throw invalidRequest([{ path: 'query.tz', code: 'time_zone', message: 'is no IANA time zone' }])
    return given
  }
  const [row] = await db.rows<{ timezone: string | null }>(sql`select timezone from organizations where id = ${organizationId}`)
  return row?.timezone && isZone(row.timezone) ? row.timezone : 'UTC'
}

/** Names alone: an offset such as +01:00 is no zone, for it knows no summer. Case does not matter, as in the IANA database. */
function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name) !== undefined
  } catch {
    return false
  }
}
