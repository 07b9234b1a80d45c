import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { lettable } from './properties.ts'
import { random } from './random.ts'
import type { Booked } from './reservations.ts'
import { type Draft, demoId, type Made, rank, type Stamped, stamped } from './rows.ts'

type Fields = RecordOf<'property-status-changes'>
type Change = {
  propertyId: string
  field: Fields['field']
  value: string | null
  trigger: string
  reservationId: string | null
  memberId: string | null
  made: Made
}
export type Statuses = Record<'readinessStatus' | 'cleaningStatus' | 'inspectionStatus' | 'maintenanceStatus', string | null>

const day = 24 * 60

/** What Casa Aurora says beyond the words that everyone has. */
export const statusValues: readonly RecordOf<'property-status-values'>[] = [
  { field: 'readiness', value: 'owner_staying' },
  { field: 'cleaning', value: 'linen_missing' },
  { field: 'inspection', value: 'photos_sent' },
  { field: 'maintenance', value: 'awaiting_parts' },
  { field: 'maintenance', value: 'awaiting_owner' },
]

/** How houses came to their status in the last three weeks, and what it is now. */
export function propertyStatuses(calendar: Calendar, booked: readonly Booked[]) {
  const now = new Map<string, Statuses>(lettable.map(({ id, n }) => [id, startOf(n)]))
  const drafts = booked
    .flatMap(turnover)
    .concat(lettable.flatMap(upkeep))
    .toSorted((a, b) => rank(a.made) - rank(b.made))
    .map((change): Draft<Fields> => {
      const statuses = now.get(change.propertyId)!
      const previousValue = statuses[`${change.field}Status`]
      statuses[`${change.field}Status`] = change.value
      return { ...change, previousValue }
    })
  // What happened is not changed afterwards: these rows have no updatedAt.
  const changes = stamped<Fields>('property-status-changes', calendar, drafts).map(
    ({ updatedAt, ...row }) => row as Omit<Fields & Stamped, 'updatedAt'>,
  )
  return { changes, now }
}

const startOf = (n: number): Statuses => ({
  readinessStatus: n % 11 === 0 ? 'unknown' : 'ready',
  cleaningStatus: 'clean',
  inspectionStatus: n % 7 === 0 ? null : 'passed',
  maintenanceStatus: 'ok',
})

/** Guests arrive and leave; the day after at the latest the house is ready again. */
function turnover({ stay, reservation }: Booked): Change[] {
  const { place, arrival, departure, kind } = stay
  if (!place || (kind !== 'stay' && kind !== 'owner')) return []
  const draw = random('turnovers', stay.n)
  const base = { propertyId: place.id, reservationId: reservation.id, memberId: null }
  const cleaner = demoId('members', draw.pick([6, 8, 10, 15, 17, 21, 27]))
  const list: Change[] = []
  if (arrival < 0 && arrival > -21)
    list.push({
      ...base,
      field: 'readiness',
      value: kind === 'owner' ? 'owner_staying' : 'occupied',
      trigger: 'guest_checked_in',
      made: arrival * day + 930 + (stay.n % 60),
    })
  const leftToday = departure === 0 && reservation.checkInState === 'checked_out'
  if ((departure >= 0 && !leftToday) || departure < -21) return list
  const left = departure * day + 660
  list.push(
    { ...base, field: 'readiness', value: 'not_ready', trigger: 'guest_checked_out', made: leftToday ? { ago: 95 } : left },
    { ...base, field: 'cleaning', value: 'dirty', trigger: 'guest_checked_out', made: leftToday ? { ago: 94 } : left + 1 },
  )
  if (leftToday && stay.n % 4 === 0)
    list.push({ ...base, field: 'cleaning', value: 'in_progress', trigger: 'task_started', memberId: cleaner, made: { ago: 20 } })
  if (leftToday) return list
  // Of the houses that were left yesterday a third is still being worked on.
  if (departure === -1 && stay.n % 3 === 0) return list
  list.push(
    { ...base, field: 'cleaning', value: 'in_progress', trigger: 'task_started', memberId: cleaner, made: left + 30 },
    {
      ...base,
      field: 'cleaning',
      value: stay.n % 29 === 0 ? 'linen_missing' : 'clean',
      trigger: 'task_completed',
      memberId: cleaner,
      made: left + 160,
    },
    {
      ...base,
      field: 'inspection',
      value: stay.n % 9 === 0 ? 'waived' : stay.n % 23 === 0 ? 'failed' : 'passed',
      trigger: 'inspection',
      memberId: demoId('members', 8),
      made: left + 190,
    },
    { ...base, field: 'readiness', value: 'ready', trigger: 'all_tasks_done', made: left + 200 },
  )
  return list
}

/** What breaks, is noticed and, mostly, repaired. */
function upkeep({ id, n }: { id: string; n: number }): Change[] {
  const draw = random('upkeep', n)
  if (n % 3 !== 0) return []
  const base = { propertyId: id, field: 'maintenance' as const, reservationId: null, memberId: demoId('members', 3) }
  const noticed = -draw.int(3, 18) * day + draw.int(500, 900)
  const found = { ...base, value: 'attention_needed', trigger: 'Guest called: no hot water', made: noticed }
  if (n % 9 === 0) return [found, { ...base, value: 'awaiting_parts', trigger: 'Part ordered in Braga', made: noticed + 300 }]
  if (n % 9 === 3) return [found, { ...base, value: null, trigger: 'Cleared by mistake, see the log', made: noticed + 60 }]
  const started = { ...base, value: 'in_progress', trigger: 'task_started', made: noticed + 200 }
  if (n % 4 === 0) return [found, started]
  return n % 4 === 1 ? [found] : [found, started, { ...base, value: 'ok', trigger: 'task_completed', made: noticed + 260 }]
}
