import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { memberNamed, memberReference } from '../members/member.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import {
  contextReferences,
  memberInput,
  refuseBreakMismatch,
  TimeEntry,
  timeEntryInput,
  timeEntryRow,
  whoseClock,
} from './time-entry.ts'

const ClockIn = Type.Partial(Type.Object({ memberId: memberInput, ...timeEntryInput }), { additionalProperties: false })
type ClockIn = Static<typeof ClockIn>

export const clockIn = write({
  route: 'POST /time-entries/clock-in',
  id: 'clockIn',
  summary: 'Begin work or a break, now',
  description: `For the caller; for another member with \`manage_shifts\`. A member has one running entry at a time, also when two
requests race: to begin a break, clock out of the work first. A task brings its department and property along where none is given.`,
  permission: 'view_shifts',
  extension: true,
  body: ClockIn,
  response: TimeEntry,
  errors: ['permission_denied', 'already_clocked_in', 'invalid_reference', 'break_mismatch', 'member_inactive'],

  async handler({ trx, actor, body, now }) {
    const member = memberNamed(actor.organizationId, whoseClock(actor, body.memberId))
    refuseBreakMismatch(body.type ?? 'work', body.breakDefinitionId)
    const id = v7()
    const [, [made]] = await Promise.all([
      // Who clocks the same member in meanwhile waits here, and then sees this entry.
      trx.run(sql`${member} for no key update`),
      trx.rows<Made>(insertRunning(id, actor.organizationId, member, body, now)),
    ])
    const { wrong, text, memberId, isInactive, runningId } = made!
    refuseWrong(wrong)
    if (isInactive) throw new ApiError('member_inactive')
    if (runningId) throw new ApiError('already_clocked_in', { timeEntryId: runningId })
    const given = { ...body, memberId, startTime: now }
    const changes = Object.fromEntries(Object.entries(given).map(([field, to]) => [field, { to }]))
    trx.event({ type: 'time_entry.clocked_in', entityType: 'time_entry', entityId: id, changes })
    return { text }
  },
})

type Made = { wrong: WrongReference[] | null; text: string; memberId: string; isInactive: boolean; runningId: string | null }

/** Inserts a running entry unless a reference is wrong, the member is suspended or one is running, and answers which of these it was. */
function insertRunning(id: string, organizationId: string, member: Sql, body: ClockIn, now: Date): Sql {
  return sql`
    with wrong as (${wrongReferences([
      memberReference('memberId', organizationId, body.memberId),
      reference('breakDefinitionId', 'break_definitions', organizationId, body.breakDefinitionId),
      ...contextReferences(organizationId, body),
    ])}),
    clock as (
      select m.id as member_id, m.deactivated_at is not null as is_inactive, (
        select r.id from time_entries r
        where r.organization_id = m.organization_id and r.member_id = m.id and r.end_time is null
        order by r.start_time desc, r.id desc limit 1) as running_id
      from (${member}) m),
    made as (
      insert into time_entries as e (organization_id, id, member_id, type, start_time, break_definition_id, department_id,
        property_id, task_id, notes, created_at, updated_at)
      select ${organizationId}, ${id}, c.member_id, ${body.type ?? 'work'}, ${now}, ${body.breakDefinitionId ?? null},
        coalesce(${body.departmentId ?? null}, t.department_id), coalesce(${body.propertyId ?? null}, t.property_id),
        ${body.taskId ?? null}, ${body.notes ?? null}, ${now}, ${now}
      from clock c left join tasks t on t.organization_id = ${organizationId} and t.id = ${body.taskId ?? null}
      where not c.is_inactive and c.running_id is null and not exists (select from wrong)
      returning ${timeEntryRow} as text)
    select (select json_agg(w) from wrong w) as wrong, made.text, c.member_id as "memberId", c.is_inactive as "isInactive",
      c.running_id as "runningId"
    from (select) one left join clock c on true left join made on true`
}
