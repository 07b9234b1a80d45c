import Type from 'typebox'
import { type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import type { Change } from '../../http/events.ts'
import { Resource, Uuid } from '../../http/schema.ts'
import { forgetKept } from '../costs/kept.ts'
import { refuseWrong } from '../references.ts'

const Chosen = (description: string) => Type.Optional(Type.Array(Uuid, { maxItems: 200, description }))

export const Approval = Resource('Approval', {
  timeEntryIds: Type.Array(Uuid, { description: 'The time entries whose approval changed.' }),
  costItemIds: Type.Array(Uuid, { description: 'The cost items whose approval changed.' }),
  isApproved: Type.Boolean(),
})

export const createApproval = write({
  route: 'POST /approvals',
  id: 'createApproval',
  summary: 'Approve time entries and cost items, or decide against them',
  description: `All of them or, where one is unknown or still running, none. What is decided so already stays as it is. What was decided
against is pending still: it can be corrected and approved.`,
  permission: 'approve_time_entries',
  extension: true,
  body: Type.Object(
    {
      timeEntryIds: Chosen('Finished time entries.'),
      costItemIds: Chosen('Cost items.'),
      isApproved: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  response: Approval,
  errors: ['invalid_reference', 'time_entry_running'],

  async handler({ trx, actor: { organizationId }, body, now }) {
    const { timeEntryIds = [], costItemIds = [], isApproved } = body
    const [entries, items] = await Promise.all([
      lock(
        trx,
        sql`select id, is_approved as "isApproved", end_time is null as "isRunning", start_time::text as at from time_entries`,
        organizationId,
        timeEntryIds,
      ),
      lock(
        trx,
        sql`select id, coalesce(is_approved, false) as "isApproved", false as "isRunning", incurred_at::text as at from cost_items`,
        organizationId,
        costItemIds,
      ),
    ])
    refuseWrong([...unknown('timeEntryIds', timeEntryIds, entries), ...unknown('costItemIds', costItemIds, items)])
    const running = entries.filter(({ isRunning }) => isRunning).map(({ id }) => id)
    if (running.length > 0) throw new ApiError('time_entry_running', { timeEntryIds: running })

    const changed = [entries, items].map((rows) => rows.filter((row) => row.isApproved !== isApproved)) as [Row[], Row[]]
    const [changedEntries, changedItems] = changed.map((rows) => rows.map(({ id }) => id)) as [string[], string[]]
    const set = sql`set is_approved = ${isApproved}, updated_at = ${now} where organization_id = ${organizationId}`
    await Promise.all([
      changedEntries.length > 0 && trx.run(sql`update time_entries ${set} and id = any(${changedEntries})`),
      changedItems.length > 0 && trx.run(sql`update cost_items ${set} and id = any(${changedItems})`),
    ])
    forgetKept(
      trx,
      organizationId,
      changed.flat().map(({ at }) => at),
    )
    tell(trx, 'time_entry', changed[0], isApproved)
    tell(trx, 'cost_item', changed[1], isApproved)
    return { timeEntryIds: changedEntries, costItemIds: changedItems, isApproved }
  },
})

type Row = { id: string; isApproved: boolean | null; isRunning: boolean; at: string }

/** The rows chosen, locked in the order of their ids, so that two who approve the same never wait for one another. */
const lock = (trx: Change, select: Sql, organizationId: string, ids: readonly string[]): Promise<Row[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : trx.rows<Row>(sql`${select} where organization_id = ${organizationId} and id = any(${ids}) order by id for no key update`)

function unknown(field: string, ids: readonly string[], found: readonly Row[]) {
  const known = new Set(found.map(({ id }) => id))
  return ids.flatMap((id, place) =>
    known.has(id.toLowerCase()) ? [] : [{ field: `${field}.${place}`, code: 'unknown' as const, userId: null }],
  )
}

function tell(trx: Change, entityType: 'time_entry' | 'cost_item', rows: readonly Row[], isApproved: boolean): void {
  for (const { id, isApproved: from } of rows)
    trx.event({ type: `${entityType}.approved`, entityType, entityId: id, changes: { isApproved: { from, to: isApproved } } })
}
