import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { TimeEntry, timeEntryRow } from './time-entry.ts'

export const getTimeEntry = read({
  route: 'GET /time-entries/{id}',
  id: 'getTimeEntry',
  summary: 'Read one time entry',
  permission: 'view_analytics',
  extension: true,
  params: IdParams,
  response: TimeEntry,
  errors: ['time_entry_not_found'],

  async handler({ db, actor, params }) {
    const entry = await db.one({
      row: timeEntryRow,
      from: sql`time_entries e where e.organization_id = ${actor.organizationId} and e.id = ${params.id}`,
    })
    if (!entry) throw new ApiError('time_entry_not_found')
    return entry
  },
})
