import Type, { type Static } from 'typebox'
import type { Json } from '../../db/db.ts'
import { Computed, projection } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { ApiError } from '../../http/errors.ts'
import {
  DateTime,
  Nullable,
  NullableBoolean,
  NullableString,
  NullableUuid,
  OneOf,
  Resource,
  Text,
  Uuid,
} from '../../http/schema.ts'
import { reference } from '../references.ts'

export const timeEntryTypes = ['work', 'break'] as const
export const NullableCents = Nullable(Type.Integer())

/** What a time entry or a cost was for, with the names to show. */
export const contextFields = {
  departmentId: NullableUuid,
  departmentName: Computed(NullableString),
  departmentColor: Computed(NullableString),
  propertyId: NullableUuid,
  propertyName: Computed(NullableString),
  taskId: NullableUuid,
  taskTitle: Computed(NullableString),
}

const textOf = (alias: string, table: string, id: string, column: string): Sql =>
  sql`coalesce((select to_json(${raw(`x.${column}`)})::text from ${raw(table)} x
    where x.organization_id = ${raw(`${alias}.organization_id`)} and x.id = ${raw(`${alias}.${id}`)}), 'null')`

/** The computed ones of `contextFields`, for rows under `alias`. */
export const contextTexts = (alias: string) => ({
  departmentName: textOf(alias, 'departments', 'department_id', 'name'),
  departmentColor: textOf(alias, 'departments', 'department_id', 'color'),
  propertyName: textOf(alias, 'properties', 'property_id', 'name'),
  taskTitle: textOf(alias, 'tasks', 'task_id', 'name'),
})

/** The entry of the contract's cost day detail, and what is known of it besides. */
export const TimeEntry = Resource('TimeEntry', {
  id: Uuid,
  memberId: Uuid,
  type: OneOf(timeEntryTypes),
  startTime: DateTime,
  endTime: Nullable(Type.String({ format: 'date-time', description: 'Null while the entry is running.' })),
  durationMinutes: Nullable(Type.Integer({ description: 'Whole minutes.' })),
  attributedCostCents: Nullable(Type.Integer({ description: 'Null without view_analytics too.' })),
  attributedBillableCents: Nullable(Type.Integer({ description: 'Null without view_analytics too.' })),
  isApproved: NullableBoolean,
  breakDefinitionId: NullableUuid,
  ...contextFields,
  notes: NullableString,
  isAutoClockedOut: Type.Boolean({ description: 'Ended by the service, not by a person.' }),
  editedAt: Nullable(Type.String({ format: 'date-time', description: 'When it was last changed after it was recorded.' })),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type TimeEntry = Static<typeof TimeEntry>

/** A time entry under the alias `e`. */
export const timeEntryRow = projection(TimeEntry, 'e', contextTexts('e'))

/**
 * The answer to a write. What time is charged at shows only with view_analytics, which every read of it needs: whoever
 * clocks out must not learn it.
 */
export function shownTo(actor: Actor, text: string): Json<TimeEntry> {
  if (actor.permissions.has('view_analytics')) return { text }
  return { text: JSON.stringify({ ...JSON.parse(text), attributedCostCents: null, attributedBillableCents: null }) }
}

/** What a request says of the context of time or cost. */
export const contextInput = { departmentId: Uuid, propertyId: Uuid, taskId: Uuid }
type Context = { [K in keyof typeof contextInput]?: string | null | undefined }

export const contextReferences = (organizationId: string, { departmentId, propertyId, taskId }: Context) => [
  reference('departmentId', 'departments', organizationId, departmentId),
  reference('propertyId', 'properties', organizationId, propertyId),
  reference('taskId', 'tasks', organizationId, taskId),
]

/** What a request says of a time entry, but for its times. */
export const timeEntryInput = {
  type: OneOf(timeEntryTypes),
  breakDefinitionId: { ...Uuid, description: 'Which kind of break; for a break, and only for one.' },
  ...contextInput,
  notes: Text({ maxLength: 20_000 }),
}

/** A member id or a user id; the caller where left out. */
export const memberInput = { ...Uuid, description: 'A member id or a user id; the caller where left out.' }

/** The id of whose clock is meant. Throws 403 for another member's without manage_shifts. */
export function whoseClock(actor: Actor, memberId: string | undefined): string {
  const id = memberId?.toLowerCase()
  if (!id || id === actor.memberId || id === actor.userId) return actor.memberId
  if (!actor.permissions.has('manage_shifts')) throw new ApiError('permission_denied', { permission: 'manage_shifts' })
  return id
}

/** Throws 422 unless exactly a break has a break definition. */
export function refuseBreakMismatch(type: TimeEntry['type'], breakDefinitionId: string | null | undefined): void {
  if ((type === 'break') !== (breakDefinitionId != null)) throw new ApiError('break_mismatch', { field: 'breakDefinitionId' })
}

const day = 24 * 60 * 60_000

/**
 * Throws 422 for a time before 1970 or more than a day ahead of `now` (of anyone's clock and zone), and for an end before
 * its start.
 */
export function refuseImpossibleTimes(
  now: Date,
  times: { startTime?: string; endTime?: string | null; incurredAt?: string },
): void {
  for (const [field, time] of Object.entries(times)) {
    const instant = time == null ? 0 : Date.parse(time)
    if (instant < 0 || instant > now.getTime() + day) throw new ApiError('impossible_time', { field })
  }
  const { startTime, endTime } = times
  if (startTime && endTime && Date.parse(endTime) < Date.parse(startTime))
    throw new ApiError('impossible_time', { field: 'endTime' })
}

/** The largest integers that their columns, and numbers in JSON, can hold: a forgotten clock must not overflow. */
const maxMinutes = raw('2147483647')
const maxCents = raw('9007199254740991')

/**
 * SQL of what an entry comes to that lasts from `start` to `end`: whole minutes, and the cents of these minutes at the
 * hourly rates that the member has now. Work and paid breaks are charged; a break that is not paid, and the work of a member
 * without a rate, are not (null). The member is `member_id`, the break `break_definition_id`, of the row under `alias`.
 */
export function worth(alias: string, start: Sql, end: Sql): { minutes: Sql; costCents: Sql; billableCents: Sql } {
  const minutes = sql`least(round(extract(epoch from ${end} - ${start}) / 60), ${maxMinutes})::integer`
  const cents = (rate: 'hourly_cost_cents' | 'hourly_billable_cents') => sql`(
    select least(round(${raw(`m.${rate}`)}::numeric * ${minutes} / 60), ${maxCents})::bigint
    from members m
    left join break_definitions b on b.organization_id = m.organization_id and b.id = ${raw(`${alias}.break_definition_id`)}
    where m.organization_id = ${raw(`${alias}.organization_id`)} and m.id = ${raw(`${alias}.member_id`)}
      and ${raw(`m.${rate}`)} is not null and b.is_paid is not false)`
  return { minutes, costCents: cents('hourly_cost_cents'), billableCents: cents('hourly_billable_cents') }
}
