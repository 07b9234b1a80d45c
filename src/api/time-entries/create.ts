import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { asInstant, Instant } from '../../http/schema.ts'
import { forgetKept } from '../costs/kept.ts'
import { memberNamed, memberReference } from '../members/member.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import {
  contextReferences,
  memberInput,
  refuseBreakMismatch,
  refuseImpossibleTimes,
  shownTo,
  TimeEntry,
  timeEntryInput,
  timeEntryRow,
  worth,
} from './time-entry.ts'

const NewTimeEntry = Type.Object(
  {
    ...Type.Required(Type.Object({ startTime: Instant('When it began.'), endTime: Instant('When it ended.') })).properties,
    memberId: Type.Optional(memberInput),
    ...Type.Partial(Type.Object(timeEntryInput)).properties,
  },
  { additionalProperties: false },
)
type NewTimeEntry = Static<typeof NewTimeEntry>

export const createTimeEntry = write({
  route: 'POST /time-entries',
  id: 'createTimeEntry',
  summary: 'Record work or a break that is over',
  description: `Minutes are rounded to whole ones, and charged to the cent at the hourly rates that the member has now; a break only if
it is paid. A task brings its department and property along where none is given. The entry waits for approval.`,
  permission: 'manage_shifts',
  extension: true,
  body: NewTimeEntry,
  response: TimeEntry,
  errors: ['invalid_reference', 'break_mismatch', 'impossible_time'],

  async handler({ trx, actor, body, now }) {
    refuseBreakMismatch(body.type ?? 'work', body.breakDefinitionId)
    refuseImpossibleTimes(now, { startTime: body.startTime, endTime: body.endTime })
    const id = v7()
    const [made] = await trx.rows<Made>(
      insertEntry(id, actor.organizationId, body.memberId?.toLowerCase() ?? actor.memberId, body, now),
    )
    refuseWrong(made!.wrong)
    forgetKept(trx, actor.organizationId, [asInstant(body.startTime)])
    const changes = Object.fromEntries(
      Object.entries({ ...body, memberId: made!.memberId }).map(([field, to]) => [field, { to }]),
    )
    trx.event({ type: 'time_entry.created', entityType: 'time_entry', entityId: id, changes })
    return shownTo(actor, made!.text)
  },
})

type Made = { wrong: WrongReference[] | null; text: string; memberId: string }

/** Inserts the entry unless a reference is wrong, and answers it. */
function insertEntry(id: string, organizationId: string, memberId: string, body: NewTimeEntry, now: Date): Sql {
  const { minutes, costCents, billableCents } = worth('g', sql`g.start_time`, sql`g.end_time`)
  return sql`
    with wrong as (${wrongReferences([
      memberReference('memberId', organizationId, memberId),
      reference('breakDefinitionId', 'break_definitions', organizationId, body.breakDefinitionId),
      ...contextReferences(organizationId, body),
    ])}),
    given as (
      select m.organization_id, m.id as member_id, ${body.breakDefinitionId ?? null}::uuid as break_definition_id,
        ${asInstant(body.startTime)}::timestamptz as start_time, ${asInstant(body.endTime)}::timestamptz as end_time,
        coalesce(${body.departmentId ?? null}, t.department_id) as department_id,
        coalesce(${body.propertyId ?? null}, t.property_id) as property_id
      from (${memberNamed(organizationId, memberId)}) m
      left join tasks t on t.organization_id = m.organization_id and t.id = ${body.taskId ?? null}
      where not exists (select from wrong)),
    made as (
      insert into time_entries as e (organization_id, id, member_id, type, start_time, end_time, duration_minutes,
        attributed_cost_cents, attributed_billable_cents, break_definition_id, department_id, property_id, task_id, notes,
        created_at, updated_at)
      select g.organization_id, ${id}, g.member_id, ${body.type ?? 'work'}, g.start_time, g.end_time, ${minutes}, ${costCents},
        ${billableCents}, g.break_definition_id, g.department_id, g.property_id, ${body.taskId ?? null}, ${body.notes ?? null},
        ${now}, ${now}
      from given g
      returning ${timeEntryRow} as text, e.member_id)
    select (select json_agg(w) from wrong w) as wrong, made.text, made.member_id as "memberId" from (select) one left join made on true`
}
