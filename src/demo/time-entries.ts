import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type DepartmentKey, departmentId, isArchived } from './departments.ts'
import { type Member, type Worker, workers } from './members.ts'
import { lettable, type Place } from './properties.ts'
import { type Random, random } from './random.ts'
import { type Draft, demoId, type Made, rank, type Stamped, stamped } from './rows.ts'
import type { Planned } from './tasks.ts'

type Fields = RecordOf<'time-entries'>
export type BreakDefinition = RecordOf<'break-definitions'> & Stamped
/** A time entry, and the work it was for. */
export type Clocked = { entry: Fields & Stamped; work: Work; made: Made }
type Work = {
  worker: Worker
  day: number
  department: DepartmentKey
  place: Place | null
  planned: Planned | null
  zone: string
}

const day = 24 * 60
const firstDay = -181

const breaks = [
  { name: 'Lunch', isPaid: false, durationMinutes: 45 },
  { name: 'Coffee', isPaid: true, durationMinutes: 15 },
  { name: 'Siesta', isPaid: false, durationMinutes: 90 },
  { name: 'Rest at night', isPaid: true, durationMinutes: null },
]

export function breakDefinitions(calendar: Calendar): BreakDefinition[] {
  return stamped<RecordOf<'break-definitions'>>(
    'break-definitions',
    calendar,
    breaks.map((one, n) => ({ ...one, made: (-1000 + n * 120) * day })),
  )
}

type Clock = { work: Work; draft: Draft<Fields>; made: Made }

/** Six months of clocked work and breaks, and who is at work now. */
export function timeEntries(calendar: Calendar, members: readonly Member[], planned: readonly Planned[]): Clocked[] {
  const done = doneBy(planned)
  const team = workers().filter(({ person }) => person.role.startsWith('field_') || person.userGroups?.includes('Night shift'))
  const clocks = [
    ...team.flatMap((worker) => shifts(worker, members[worker.n]!, done, calendar)),
    ...team.filter(({ until }) => until > 0).flatMap((worker, n) => (n % 5 === 0 ? running(worker, n, planned, calendar) : [])),
  ].toSorted((a, b) => rank(a.made) - rank(b.made))
  return stamped(
    'time-entries',
    calendar,
    clocks.map(({ draft }) => draft),
  ).map((entry, n) => ({ entry, work: clocks[n]!.work, made: clocks[n]!.made }))
}

/** Completed tasks by who did them and on which day. */
function doneBy(planned: readonly Planned[]): Map<string, Planned[]> {
  const found = new Map<string, Planned[]>()
  for (const one of planned) {
    if (one.task.status !== 'completed' || !one.worker || one.task.deletedAt) continue
    const key = `${one.worker.n}/${one.job.day}`
    found.set(key, [...(found.get(key) ?? []), one])
  }
  return found
}

function shifts(worker: Worker, member: Member, done: ReadonlyMap<string, Planned[]>, calendar: Calendar): Clock[] {
  const list: Clock[] = []
  const night = !worker.person.role.startsWith('field_')
  for (let on = firstDay; on < 0; on++) {
    if (on > worker.until || calendar.minute(on * day) < (member.joinedAt ?? '')) continue
    // Five days at work, two at home; nights every sixth.
    const turn = (on - firstDay + worker.n * 3) % (night ? 6 : 7)
    if (night ? turn === 0 && on < -1 : turn < 5)
      list.push(...shift(worker, member, on, night, done.get(`${worker.n}/${on}`) ?? [], calendar))
  }
  return list
}

/** One day of one member: up to two pieces of work, and a break between them. */
function shift(
  worker: Worker,
  member: Member,
  on: number,
  night: boolean,
  done: readonly Planned[],
  calendar: Calendar,
): Clock[] {
  const draw = random(`shifts/${worker.n}`, -on)
  const forgot = draw.chance(0.012)
  // Nobody is in two towns on one day.
  const near = done.filter(({ job }) => job.group === done[0]!.job.group)
  const pieces = near.length > 0 ? near.slice(0, forgot ? 1 : 2) : [null]
  const list: Clock[] = []
  let start = night ? 22 * 60 : draw.int(32, 44) * 15
  for (const [i, planned] of pieces.entries()) {
    const work = workOf(worker, on, planned, draw)
    const minutes = forgot ? 720 : night ? draw.int(200, 270) : planned ? draw.int(35, 190) : draw.int(150, 400)
    list.push(clock(work, member, start, minutes, forgot, draw, calendar))
    start += minutes
    if (i > 0 || forgot || draw.chance(0.5)) continue
    const rest = night ? 3 : draw.pick(worker.person.groups?.includes('sevilla') ? [0, 1, 2] : [0, 0, 1])
    const restMinutes = (breaks[rest]!.durationMinutes ?? 25) + draw.int(-5, 10)
    list.push(pause(work, member, start, restMinutes, rest, draw, calendar))
    start += restMinutes
  }
  return list
}

function workOf(worker: Worker, on: number, planned: Planned | null, draw: Random): Work {
  const department = planned?.job.department ?? draw.pick(worker.person.works!.filter((key) => !isArchived(key)))
  const near = lettable.filter(
    ({ house }) => !worker.person.groups || (house.group && worker.person.groups.includes(house.group)),
  )
  const place = planned ? planned.job.place : draw.chance(0.9) ? draw.pick(near) : null
  return { worker, day: on, department, place, planned, zone: place?.zone ?? 'Europe/Lisbon' }
}

function clock(
  work: Work,
  member: Member,
  start: number,
  minutes: number,
  forgot: boolean,
  draw: Random,
  calendar: Calendar,
): Clock {
  const edited = draw.chance(0.03)
  return entryOf(work, start, minutes, calendar, {
    type: 'work',
    attributedCostCents: cents(member.hourlyCostCents, minutes),
    attributedBillableCents: draw.chance(0.9) ? cents(member.hourlyBillableCents, minutes) : null,
    isApproved: approval(work.day, draw),
    notes: forgot ? 'Clocked out by the system after 12 hours.' : draw.chance(0.08) ? draw.pick(notes) : null,
    isAutoClockedOut: forgot,
    editedAt: edited ? calendar.minute(Math.min(work.day + 1, -1) * day + 700) : null,
  })
}

const notes = [
  'Traffic on the bridge.',
  'Chaves não estavam no cofre.',
  'Dos juegos de sábanas extra.',
  'Forgot to clock in, started at nine.',
  'Elevator out of order.',
]

function pause(
  work: Work,
  member: Member,
  start: number,
  minutes: number,
  kind: number,
  draw: Random,
  calendar: Calendar,
): Clock {
  const paid = breaks[kind]!.isPaid
  return entryOf(work, start, minutes, calendar, {
    type: 'break',
    breakDefinitionId: demoId('break-definitions', kind),
    attributedCostCents: paid ? cents(member.hourlyCostCents, minutes) : null,
    attributedBillableCents: null,
    isApproved: approval(work.day, draw),
  })
}

const cents = (hourly: number | null | undefined, minutes: number): number | null =>
  hourly == null ? null : Math.round((hourly * minutes) / 60)

/** Approved two weeks later at the latest; null and false are both still pending. */
function approval(on: number, draw: Random): boolean | null {
  const share = on < -14 ? 0.97 : on < -5 ? 0.5 : 0.05
  return draw.chance(share) ? true : draw.chance(0.1) ? false : null
}

function entryOf(work: Work, start: number, minutes: number, calendar: Calendar, fields: Partial<Fields>): Clock {
  const { worker, day: on, department, place, planned, zone } = work
  const startTime = calendar.at(on, start / 60, zone)
  const made = on * day + start
  const draft = {
    memberId: worker.memberId,
    startTime,
    endTime: new Date(Date.parse(startTime) + minutes * 60_000).toISOString(),
    durationMinutes: minutes,
    departmentId: departmentId(department),
    propertyId: place?.id ?? null,
    taskId: planned?.task.id ?? null,
    ...fields,
    made,
    changed: fields.isApproved
      ? Math.min(on + 5, -1) * day + 480
      : fields.editedAt
        ? Math.min(on + 1, -1) * day + 700
        : made + minutes,
  }
  return { work, draft, made }
}

/** Clocked in within the last two hours and not out yet; every third is on a break. */
function running(worker: Worker, n: number, planned: readonly Planned[], calendar: Calendar): Clock[] {
  const own = planned.find((one) => one.worker?.n === worker.n && one.job.day === 0 && one.task.status === 'in_progress')
  const work = workOf(worker, 0, own ?? null, random('running', n))
  const made = { ago: 108 - n * 4 }
  const resting = n % 3 === 2
  const draft = {
    memberId: worker.memberId,
    type: resting ? ('break' as const) : ('work' as const),
    startTime: calendar.ago(made.ago),
    breakDefinitionId: resting ? demoId('break-definitions', 1) : null,
    departmentId: departmentId(work.department),
    propertyId: work.place?.id ?? null,
    taskId: resting ? null : (own?.task.id ?? null),
    made,
  }
  return [{ work, draft, made }]
}
