import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import type { Event } from '../../http/events.ts'
import { forgetKept } from '../costs/kept.ts'
import { memberNamed, memberReference } from '../members/member.ts'
import { checkReferences } from '../references.ts'
import { memberInput, shownTo, TimeEntry, timeEntryInput, timeEntryRow, whoseClock, worth } from './time-entry.ts'

const ClockOut = Type.Partial(Type.Object({ memberId: memberInput, notes: timeEntryInput.notes }), {
  additionalProperties: false,
})

export const clockOut = write({
  route: 'POST /time-entries/clock-out',
  id: 'clockOut',
  summary: 'End the running work or break, now',
  description: `For the caller; for another member, suspended ones too, with \`manage_shifts\`. Minutes are rounded to whole ones, and
charged to the cent at the hourly rates that the member has now; a break only if it is paid. Given notes replace those of the entry.`,
  permission: 'view_shifts',
  extension: true,
  body: ClockOut,
  response: TimeEntry,
  errors: ['permission_denied', 'not_clocked_in', 'invalid_reference'],

  async handler({ trx, actor, body, now }) {
    const member = memberNamed(actor.organizationId, whoseClock(actor, body.memberId))
    const end = sql`greatest(e.start_time, ${now}::timestamptz)`
    const { minutes, costCents, billableCents } = worth('e', sql`e.start_time`, end)
    // Of two at once, the second waits for the first and then finds nothing running.
    const [ended] = await trx.rows<{ text: string; notesBefore: string | null }>(sql`
      update time_entries e set end_time = ${end}, duration_minutes = ${minutes}, attributed_cost_cents = ${costCents},
        attributed_billable_cents = ${billableCents}, notes = coalesce(${body.notes ?? null}, e.notes), updated_at = ${now}
      from (
        select r.id, r.notes from (${member}) m
        join time_entries r on r.organization_id = m.organization_id and r.member_id = m.id and r.end_time is null
        order by r.start_time desc, r.id desc limit 1) r
      where e.organization_id = ${actor.organizationId} and e.id = r.id and e.end_time is null
      returning ${timeEntryRow} as text, r.notes as "notesBefore"`)
    if (!ended) {
      await checkReferences(trx, [memberReference('memberId', actor.organizationId, body.memberId)])
      throw new ApiError('not_clocked_in')
    }
    const entry = JSON.parse(ended.text) as TimeEntry
    forgetKept(trx, actor.organizationId, [entry.startTime])
    trx.event(clockedOut(entry, ended.notesBefore))
    return shownTo(actor, ended.text)
  },
})

function clockedOut(entry: TimeEntry, notesBefore: string | null): Event {
  const { id, endTime, durationMinutes, attributedCostCents, attributedBillableCents, notes } = entry
  const set = Object.entries({ endTime, durationMinutes, attributedCostCents, attributedBillableCents })
    .filter(([, to]) => to !== null)
    .map(([field, to]) => [field, { from: null, to }])
  const changes = { ...Object.fromEntries(set), ...(notes === notesBefore ? {} : { notes: { from: notesBefore, to: notes } }) }
  return { type: 'time_entry.clocked_out', entityType: 'time_entry', entityId: id, changes }
}
