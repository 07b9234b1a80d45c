import type { DepartmentKey } from './departments.ts'
import { lettable, type Place, places } from './properties.ts'
import { type GroupKey, groupKeys } from './property-groups.ts'
import { random } from './random.ts'
import type { Booked } from './reservations.ts'

/** Work that came up: what, where and on which day (from today). Null is work that nobody has planned yet. */
export type Job = {
  n: number
  department: DepartmentKey
  name: string
  description: string | null
  place: Place | null
  group: GroupKey | null
  booked: Booked | null
  day: number | null
  hour: number
  /** Minutes from today's midnight at which it was noted. */
  made: number
  /** The series it belongs to. */
  series: string | null
}

export const taskCount = 3_000
const day = 24 * 60

/** As far ahead as cleans are planned. */
const horizon = 28

/** 3,000 jobs: those that stays bring along, those that come round every week, and what breaks. */
export function jobs(booked: readonly Booked[]): Job[] {
  const known = [...booked.flatMap(stayJobs), ...weekly(), ...former()]
  const rest = Array.from({ length: taskCount - known.length }, (_, i) => mishap(i))
  return [...known, ...rest].map((job, n) => ({ ...job, n }))
}

type Unnumbered = Omit<Job, 'n'>
const noted = (due: number, daysBefore: number, minute: number): number => Math.min(due - daysBefore, -2) * day + 420 + minute

function stayJobs(stay: Booked, at: number): Unnumbered[] {
  const { kind, place, arrival, departure, made } = stay.stay
  if (!place || kind === 'cancelled' || kind === 'inquiry') return []
  const draw = random('stay jobs', at)
  const job = (
    department: DepartmentKey,
    name: string,
    due: number,
    hour: number,
    description: string | null = null,
  ): Unnumbered => ({
    department,
    name,
    description,
    place,
    group: place.house.group,
    booked: stay,
    day: due,
    hour,
    made: Math.max(made, noted(due, draw.int(3, horizon), draw.int(0, 600))),
    series: null,
  })
  const list: Unnumbered[] = []
  const soon = (due: number) => due <= horizon - 4
  if (soon(departure)) list.push(job('housekeeping', 'Checkout clean', departure, place.checkInHour))
  if (soon(arrival) && draw.chance((place.house.bedrooms ?? 0) > 2 ? 0.5 : 0.05))
    list.push(job('inspections', 'Arrival inspection', arrival, place.checkInHour - 1))
  if (soon(arrival) && draw.chance(0.12)) list.push(job('guests', 'Welcome in person', arrival, place.checkInHour))
  if (soon(arrival) && draw.chance(0.05))
    list.push(job('concierge', 'Airport transfer', arrival, 12, 'Two adults, one child seat.'))
  if (departure - arrival > 6 && soon(arrival + 4)) list.push(job('housekeeping', 'Mid-stay clean', arrival + 4, 13))
  if (departure < -1 && draw.chance(0.04)) list.push(job('guests', 'Lost property', departure + 1, 18, draw.pick(lost)))
  if (kind === 'owner') list.push(job('owners', 'Owner visit', arrival, 12))
  return list
}

const lost = [
  'A charger, white.',
  'One child’s shoe, size 27, left.',
  'A book in Finnish, bedside table.',
  'Ein Ehering, Badezimmer!',
  'Passport of a Ms Okafor.',
]

/** Rounds by town, and pools and gardens by house: 16 weeks back and two ahead. */
function weekly(): Unnumbered[] {
  const round = (
    department: DepartmentKey,
    name: string,
    place: Place | null,
    group: GroupKey | null,
    week: number,
    weekday: number,
  ) => ({
    department,
    name,
    description: null,
    place,
    group,
    booked: null,
    day: week * 7 + weekday,
    hour: 10,
    made: noted(week * 7 + weekday, 15, weekday),
    series: `${name}/${place?.n ?? group}`,
  })
  return Array.from({ length: 18 }, (_, i) => i - 16).flatMap((week) => [
    ...groupKeys.map((group, n) => round('laundry', 'Linen delivery', null, group, week, n)),
    ...groupKeys
      .filter((_, n) => (week + n) % 4 === 0)
      .map((group) => round('logistics', 'Restock consumables', null, group, week, 3)),
    ...lettable
      .filter(({ house }) => house.pool)
      .map((place) => round('pools', 'Pool service', place, place.house.group, week, place.n % 5)),
  ])
}

/** What departments that are closed now had left to do. */
function former(): Unnumbered[] {
  return Array.from({ length: 24 }, (_, i) => {
    const place = places[12 + (i % 9)]!
    const due = -125 - i * 2
    const [department, name] =
      i % 6 === 5 ? (['pests', 'Bed bug treatment'] as const) : (['portoDesk', 'Hand over keys'] as const)
    return {
      department,
      name,
      description: null,
      place,
      group: 'porto' as const,
      booked: null,
      day: due,
      hour: 17,
      made: noted(due, 3, i),
      series: null,
    }
  })
}

const mishaps: readonly (readonly [DepartmentKey, string, string | null])[] = [
  ['maintenance', 'Repair', 'The tap in the kitchen drips.'],
  ['maintenance', 'Repair', 'Shower drains slowly, upper bathroom.'],
  ['maintenance', 'Repair', 'Shutter in the living room will not go up.'],
  ['maintenance', 'Repair', 'Toilet runs on after flushing.'],
  ['maintenance', 'Repair', 'Oven trips the fuse. Guests cook on the hob meanwhile.'],
  ['maintenance', 'Repair', 'A step of the stairs is loose, third from the top.'],
  ['maintenance', 'Repair', 'O frigorífico não arrefece.'],
  ['maintenance', 'Repair', 'La persiana del dormitorio está rota.'],
  ['maintenance', 'Bulb on the stairs', null],
  ['maintenance', 'Boiler service', null],
  ['maintenance', 'Air conditioning filters', null],
  ['maintenance', 'Lock batteries', 'The lock says 14 %.'],
  ['maintenance', 'Replace the doorbell', null],
  ['maintenance', 'Pintar a parede da sala', 'Marca de humidade atrás do sofá.'],
  ['maintenance', 'Revisar el calentador', 'Agua tibia por la mañana.'],
  ['maintenance', 'Wi-Fi drops in the back bedroom', 'Perhaps a repeater; ask Quim.'],
  ['inspections', 'Safety check', null],
  ['inspections', 'Inventory', null],
  ['housekeeping', 'Deep clean', null],
  ['pools', 'Garden round', null],
  ['pools', 'Repair', 'The robot climbs the wall and stays there.'],
  ['guests', 'Answer the review', 'Four stars: "lovely, but the stairs".'],
  ['logistics', 'Key round', 'Two spare sets are missing.'],
  ['owners', 'Quarterly statement', null],
  ['projects', 'Photograph for the new portal', null],
  ['concierge', 'Table for eight', 'Saturday, eight o’clock, somewhere with fado.'],
]

function mishap(i: number): Unnumbered {
  const draw = random('mishaps', i)
  const [department, name, description] = draw.pick(mishaps)
  const place = draw.chance(0.97) ? draw.pick(places) : null
  // One in twenty waits to be looked at: it has no day yet.
  const due = i % 20 === 7 ? null : draw.int(-178, 18)
  const made = due === null ? noted(-1, draw.int(1, 12), draw.int(0, 700)) : noted(due, draw.int(1, 12), draw.int(0, 700))
  return {
    department,
    name,
    description,
    place,
    group: place?.house.group ?? null,
    booked: null,
    day: due,
    hour: draw.int(9, 18),
    made,
    series: null,
  }
}
