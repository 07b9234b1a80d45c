import Type, { type Static } from 'typebox'
import { type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changedIn, changesBetween } from '../../http/events.ts'
import { asInstant, IdParams, Instant, Nullable } from '../../http/schema.ts'
import { forgetKept } from '../costs/kept.ts'
import { checkReferences, reference } from '../references.ts'
import {
  contextReferences,
  refuseBreakMismatch,
  refuseImpossibleTimes,
  shownTo,
  TimeEntry,
  timeEntryInput,
  timeEntryRow,
  worth,
} from './time-entry.ts'

const TimeEntryChanges = Type.Partial(
  Type.Object({
    startTime: Instant('When it began.'),
    endTime: Instant('When it ended; a running entry ends with it.'),
    type: timeEntryInput.type,
    breakDefinitionId: timeEntryInput.breakDefinitionId,
    departmentId: Nullable(timeEntryInput.departmentId),
    propertyId: Nullable(timeEntryInput.propertyId),
    taskId: Nullable(timeEntryInput.taskId),
    notes: Nullable(timeEntryInput.notes),
  }),
  { additionalProperties: false },
)
type TimeEntryChanges = Static<typeof TimeEntryChanges>

export const updateTimeEntry = write({
  route: 'PATCH /time-entries/{id}',
  id: 'updateTimeEntry',
  summary: 'Correct a time entry',
  description: `What was changed shows in \`editedAt\`, and waits for approval again. Changed times, and a break made work or the other way
round, are charged anew at the hourly rates that the member has now. What is sent as it already is counts as not sent; nothing to
change changes nothing.`,
  permission: 'manage_shifts',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: TimeEntryChanges }, { additionalProperties: false }),
  response: TimeEntry,
  errors: ['time_entry_not_found', 'invalid_reference', 'break_mismatch', 'impossible_time'],

  async handler({ trx, actor, params, body, now }) {
    const { organizationId } = actor
    const stored = await trx.one({
      row: timeEntryRow,
      from: sql`time_entries e where e.organization_id = ${organizationId} and e.id = ${params.id} for no key update`,
    })
    if (!stored) throw new ApiError('time_entry_not_found')
    const before = JSON.parse(stored.text) as TimeEntry
    const wanted = { ...before, ...asStored(body.data) }
    const sent = changedIn(before, wanted, compared) as TimeEntryChanges
    if (Object.keys(sent).length === 0) return shownTo(actor, stored.text)

    refuseBreakMismatch(wanted.type, wanted.breakDefinitionId)
    if (sent.startTime || sent.endTime) refuseImpossibleTimes(now, { startTime: wanted.startTime, endTime: wanted.endTime })
    await checkReferences(trx, [
      reference('breakDefinitionId', 'break_definitions', organizationId, sent.breakDefinitionId),
      ...contextReferences(organizationId, sent),
    ])
    const isChargedAnew = (['startTime', 'endTime', 'breakDefinitionId'] as const).some((field) => field in sent)
    const [updated] = await trx.rows<{ text: string }>(store(organizationId, wanted, isChargedAnew, now))
    const after = JSON.parse(updated!.text) as TimeEntry
    forgetKept(trx, organizationId, [before.startTime, after.startTime])
    const changes = changesBetween(before, after, compared)
    trx.event({ type: 'time_entry.updated', entityType: 'time_entry', entityId: before.id, changes })
    return shownTo(actor, updated!.text)
  },
})

/** What was sent, in the form an entry answers it. A break made work loses its break definition. */
function asStored(data: TimeEntryChanges): Partial<TimeEntry> {
  const { startTime, endTime, ...rest } = data
  const ids = (['breakDefinitionId', 'departmentId', 'propertyId', 'taskId'] as const).filter((id) => data[id])
  return {
    ...(data.type === 'work' ? { breakDefinitionId: null } : {}),
    ...rest,
    ...Object.fromEntries(ids.map((id) => [id, data[id]!.toLowerCase()])),
    ...(startTime ? { startTime: asInstant(startTime) } : {}),
    ...(endTime ? { endTime: asInstant(endTime) } : {}),
  }
}

/** Stored fields; the names to show, and the times that every change sets, say nothing of their own. */
const compared = [
  'type',
  'startTime',
  'endTime',
  'durationMinutes',
  'attributedCostCents',
  'attributedBillableCents',
  'isApproved',
  'breakDefinitionId',
  'departmentId',
  'propertyId',
  'taskId',
  'notes',
] as const

/** Writes every field that may have changed. An entry that still runs is worth nothing yet. */
function store(organizationId: string, entry: TimeEntry, isChargedAnew: boolean, now: Date): Sql {
  const { minutes, costCents, billableCents } = worth('g', sql`g.start_time`, sql`g.end_time`)
  const charge =
    isChargedAnew && entry.endTime
      ? sql`duration_minutes = ${minutes}, attributed_cost_cents = ${costCents}, attributed_billable_cents = ${billableCents},`
      : sql``
  return sql`
    update time_entries e set type = ${entry.type}, start_time = g.start_time, end_time = g.end_time, ${charge}
      break_definition_id = g.break_definition_id, department_id = ${entry.departmentId}, property_id = ${entry.propertyId},
      task_id = ${entry.taskId}, notes = ${entry.notes}, is_approved = null, edited_at = ${now}, updated_at = ${now}
    from (select ${organizationId}::uuid as organization_id, ${entry.memberId}::uuid as member_id,
      ${entry.breakDefinitionId}::uuid as break_definition_id, ${entry.startTime}::timestamptz as start_time,
      ${entry.endTime}::timestamptz as end_time) g
    where e.organization_id = ${organizationId} and e.id = ${entry.id} returning ${timeEntryRow} as text`
}
