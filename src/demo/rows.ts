import type { Calendar } from './calendar.ts'
import { random } from './random.ts'

/**
 * When a row was made: minutes from today's midnight (UTC), negative; or minutes before now, which come last. Whole days
 * stand for some minute of their working hours.
 */
export type Made = number | { ago: number }

/** The latest minute from midnight at which a row may be made: what is made `ago` comes after it, whatever the hour. */
export const lastMinute = -180

const second = 1_000
const minute = 60 * second
const firstId = Date.UTC(2025, 0, 1)

/**
 * The id of the n-th row of a kind: a UUID v7 (RFC 9562) whose time counts the rows and whose other bits are drawn from
 * the kind and number, so that it never changes and ids ascend with the rows.
 */
export function demoId(kind: string, n: number): string {
  const { int } = random(`id/${kind}`, n)
  const time = (firstId + n * second).toString(16).padStart(12, '0')
  const hex = (digits: number) =>
    int(0, 16 ** digits - 1)
      .toString(16)
      .padStart(digits, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${int(8, 11).toString(16)}${hex(3)}-${hex(6)}${hex(6)}`
}

/** A row before it has an id. `changed` is when it was last changed, after `made`. */
export type Draft<Row> = Omit<Row, 'id' | 'createdAt' | 'updatedAt'> & { made: Made; changed?: Made }
export type Stamped = { id: string; createdAt: string; updatedAt: string }

/** Rows in the order in which they were made, with ids that ascend in it. `createdAt` ascends too, by a millisecond at least. */
export function stamped<Row>(kind: string, calendar: Calendar, drafts: readonly Draft<Row>[]): (Row & Stamped)[] {
  let last = 0
  return drafts
    .toSorted((a, b) => rank(a.made) - rank(b.made))
    .map(({ made, changed = made, ...row }, n) => {
      last = Math.max(instant(calendar, made, n), last + 1)
      const updatedAt = changed === made ? last : Math.max(instant(calendar, changed, n), last)
      const stamps = {
        id: demoId(kind, n),
        createdAt: new Date(last).toISOString(),
        updatedAt: new Date(updatedAt).toISOString(),
      }
      return Object.assign(row, stamps) as Row & Stamped
    })
}

/** Orders what was made. */
export const rank = (made: Made): number => (typeof made === 'number' ? made : 1_000_000 - made.ago)

const day = 24 * 60

/** Nobody does things on the full minute: seconds and milliseconds follow from the row's number. */
function instant({ now, today }: Calendar, made: Made, n: number): number {
  if (typeof made === 'object') return now - made.ago * minute
  const at = made % day === 0 ? made + 480 + ((n * 97) % 600) : made
  return Math.round(today + Math.min(at, lastMinute - 1) * minute) + ((n * 7_919) % minute)
}
