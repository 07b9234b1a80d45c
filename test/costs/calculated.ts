import { DateTime } from 'luxon'
import type { Cost, Entry, Made } from './random-organization.ts'

/** What GET /costs is asked, as `client` takes it. */
export type CostQuery = {
  start: string
  end: string
  groupBy: 'day' | 'week'
  pendingOnly: boolean
  tz: string
  departmentIds?: string[]
  memberIds?: string[]
  propertyIds?: string[]
}

export const localDate = (instant: number, zone: string): string => DateTime.fromMillis(instant, { zone }).toISODate()!

/** Monday of the week of a date, worked out on the calendar alone. */
const monday = (date: string): string => DateTime.fromISO(date, { zone: 'utc' }).startOf('week').toISODate()!

/**
 * The answer of GET /costs, worked out a second time from docs/decisions.md ("Costs"): line by line, with another library of
 * time zones, and without SQL.
 */
export function calculated(made: Made, query: CostQuery): object[] {
  const wanted = (line: Entry | Cost) => {
    const at = instantOf(line)
    const person = made.people.find(({ id }) => id === line.memberId)
    return (
      at >= Date.parse(query.start) &&
      at < Date.parse(query.end) &&
      (!query.departmentIds || (line.departmentId !== null && query.departmentIds.includes(line.departmentId))) &&
      (!query.propertyIds || (line.propertyId !== null && query.propertyIds.includes(line.propertyId))) &&
      (!query.memberIds ||
        (person !== undefined && (query.memberIds.includes(person.id) || query.memberIds.includes(person.userId))))
    )
  }
  const groups = new Map<string, { periodStart: string; memberId: string | null; entries: Entry[]; costs: Cost[] }>()
  for (const line of [...made.entries, ...made.costs].filter(wanted)) {
    const date = localDate(instantOf(line), query.tz)
    const periodStart = query.groupBy === 'day' ? date : monday(date)
    const name = `${periodStart} ${line.memberId}`
    const group = groups.get(name) ?? { periodStart, memberId: line.memberId, entries: [], costs: [] }
    groups.set(name, group)
    if (isEntry(line)) group.entries.push(line)
    else group.costs.push(line)
  }
  return [...groups.values()]
    .map((group) => row(made, group))
    .filter(({ pendingCount }) => !query.pendingOnly || pendingCount > 0)
    .sort(
      (a, b) =>
        compare(a.periodStart, b.periodStart) ||
        compare(a.memberLastName, b.memberLastName) ||
        compare(a.memberFirstName, b.memberFirstName) ||
        compare(a.memberId, b.memberId),
    )
}

function row(
  made: Made,
  { periodStart, memberId, entries, costs }: { periodStart: string; memberId: string | null; entries: Entry[]; costs: Cost[] },
) {
  const lines = [...entries, ...costs]
  const pending = lines.filter(({ isApproved }) => isApproved !== true)
  const person = made.people.find(({ id }) => id === memberId)
  const isPaid = ({ breakId }: Entry) => made.breaks.find(({ id }) => id === breakId)?.isPaid
  const minutes = (some: Entry[]) => sum(some.map(({ durationMinutes }) => durationMinutes))
  return {
    periodStart,
    memberId,
    memberFirstName: person?.firstName ?? null,
    memberLastName: person?.lastName ?? null,
    rowCount: lines.length,
    taskCount: new Set(lines.map(({ taskId }) => taskId).filter((id) => id !== null)).size,
    pendingCount: pending.length,
    approvedCount: lines.length - pending.length,
    oldestPendingAt: pending.length === 0 ? null : new Date(Math.min(...pending.map(instantOf))).toISOString(),
    totalDurationMinutes: minutes(entries.filter(({ breakId }) => breakId === null)),
    paidBreakMinutes: minutes(entries.filter((entry) => isPaid(entry) === true)),
    unpaidBreakMinutes: minutes(entries.filter((entry) => isPaid(entry) === false)),
    laborCostCents: sum(entries.map(({ cost }) => cost)),
    laborBillableCents: sum(entries.map(({ billable }) => billable)),
    nonLaborCostCents: sum(costs.map(({ cost }) => cost)),
    nonLaborBillableCents: sum(costs.map(({ billable }) => billable)),
    hasAutoClockOut: entries.some(({ auto }) => auto),
    hasEdits: entries.some(({ editedAt }) => editedAt !== null),
  }
}

export const isEntry = (line: Entry | Cost): line is Entry => 'startTime' in line
export const instantOf = (line: Entry | Cost): number => (isEntry(line) ? line.startTime : line.incurredAt)
export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

/** Nulls last. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}
