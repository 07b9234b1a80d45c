/** The demo's days, counted from today: 0 is the day that `now` has in Lisbon, -1 the one before. */
export type Calendar = {
  /** Now, and today's midnight in UTC, in milliseconds since 1970. */
  now: number
  today: number
  /** An hour on a day by the clocks of a time zone: `at(-1, 15.5, 'Europe/Madrid')` is yesterday, half past three in the afternoon. */
  at(day: number, hour: number, zone: string): string
  /** Minutes from today's midnight, UTC. */
  minute(minutes: number): string
  /** Minutes before now. */
  ago(minutes: number): string
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

export function calendarOf(now: Date): Calendar {
  const today = midnight(now.getTime() + offsetOf('Europe/Lisbon', now.getTime()))
  const offsets = new Map<string, number>()
  const noonOffset = (day: number, zone: string): number => {
    const key = `${zone}${day}`
    const known = offsets.get(key)
    if (known !== undefined) return known
    const offset = offsetOf(zone, today + (day + 0.5) * dayMs)
    offsets.set(key, offset)
    return offset
  }
  return {
    now: now.getTime(),
    today,
    at: (day, hour, zone) => iso(today + day * dayMs + Math.round(hour * 60) * minuteMs - noonOffset(day, zone)),
    minute: (minutes) => iso(today + minutes * minuteMs),
    ago: (minutes) => iso(now.getTime() - minutes * minuteMs),
  }
}

const midnight = (time: number): number => Math.floor(time / dayMs) * dayMs
const iso = (time: number): string => new Date(time).toISOString()

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds by which a zone's clocks are ahead of UTC at an instant; whole minutes. */
function offsetOf(zone: string, time: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' })
  clocks.set(zone, clock)
  const local = Date.parse(`${clock.format(time).replace(' ', 'T')}Z`)
  return Math.round((local - time) / minuteMs) * minuteMs
}
