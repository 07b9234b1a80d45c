import { guestCount } from './guests.ts'
import { lettable, type Place } from './properties.ts'
import { random } from './random.ts'

/** What stands in the booking calendar, in days from today. */
export type Stay = {
  n: number
  kind: 'stay' | 'overlap' | 'cancelled' | 'inquiry' | 'owner' | 'unassigned'
  place: Place | null
  arrival: number
  departure: number
  /** When it was booked, in minutes from today's midnight. */
  made: number
  /** The guest's row, null where they have none. */
  guest: number | null
}

export const reservationCount = 1_500
const perPlace = 24
const firstDay = -104

/** Nights of a stay, as often as they occur. */
const nights = [1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 10, 14]

/** All of them: each house booked from one stay to the next, and what does not fit that picture. */
export function stays(): Stay[] {
  const regular = lettable.flatMap(houseStays)
  const extras = Array.from({ length: reservationCount - regular.length }, (_, i) => extra(regular, regular.length + i, i))
  return [...regular, ...extras]
}

function houseStays(place: Place, at: number): Stay[] {
  const draw = random('stays', place.n)
  const list: Stay[] = []
  let day = firstDay + draw.int(0, 6)
  for (let i = 0; i < perPlace; i++) {
    const arrival = day
    const departure = arrival + draw.pick(nights)
    const made = bookedAt(arrival, draw.int(2, 75), draw.int(0, 720))
    list.push({ n: at * perPlace + i, kind: 'stay', place, arrival, departure, made, guest: guestOf(at * perPlace + i) })
    // The further away, the less is booked yet; one guest often leaves on the day on which the next arrives.
    day = departure + (departure > 14 ? draw.int(0, 9) : draw.pick([0, 0, 0, 1, 1, 2, 3, 5]))
  }
  return list
}

/** By the evening of the day before yesterday at the latest. */
const bookedAt = (arrival: number, daysBefore: number, minuteOfDay: number): number =>
  Math.min(arrival - daysBefore, -2 - (daysBefore % 20)) * 24 * 60 + 480 + minuteOfDay

/** Two in five bookings come from a guest with a row, some of whom come again and again. */
function guestOf(n: number): number | null {
  const draw = random('guests of stays', n)
  if (draw.chance(0.58)) return null
  return Math.floor(draw.next() ** 1.2 * guestCount)
}

function extra(regular: readonly Stay[], n: number, i: number): Stay {
  const draw = random('extra stays', i)
  const other = draw.pick(regular)
  const base = { ...other, n, guest: guestOf(n) }
  if (i % 10 < 6) return { ...base, kind: 'cancelled', made: bookedAt(other.arrival, draw.int(10, 90), draw.int(0, 720)) }
  if (i % 10 === 6)
    return { ...base, kind: 'inquiry', ...ahead(draw.int(5, 120), draw.int(2, 10)), made: -draw.int(2, 12) * 24 * 60 }
  if (i % 10 === 7) return { ...base, kind: 'overlap', arrival: other.departure - 1, departure: other.departure + 2 }
  if (i % 10 === 8) {
    const stay = ahead(draw.int(-60, 60), draw.int(3, 12))
    return { ...base, kind: 'owner', ...stay, made: bookedAt(stay.arrival, draw.int(20, 60), 0), guest: null }
  }
  return { ...base, kind: 'unassigned', place: null, ...ahead(draw.int(20, 100), 7), made: -draw.int(3, 15) * 24 * 60 }
}

const ahead = (arrival: number, length: number) => ({ arrival, departure: arrival + length })
