import Type from 'typebox'
import { and, oneOfIds, raw, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, Instant, List, Paging } from '../../http/schema.ts'
import { memberIn } from '../members/member.ts'
import { TimeEntry, timeEntryRow } from './time-entry.ts'

export const listTimeEntries = read({
  route: 'GET /time-entries',
  id: 'listTimeEntries',
  summary: 'List clocked work and breaks',
  description: 'With `isApproved=false` and `isRunning=false`, what is there to approve.',
  permission: 'view_analytics',
  extension: true,
  query: Type.Object({
    departmentIds: Ids('Entries for one of these departments.'),
    ids: Ids('These entries.'),
    isApproved: Type.Optional(Type.Boolean({ description: 'False: not yet, or decided against. Both where left out.' })),
    isRunning: Type.Optional(Type.Boolean({ description: 'Both where left out.' })),
    memberIds: Ids('Entries of one of these members, by member id or user id.'),
    propertyIds: Ids('Entries at one of these properties.'),
    startBefore: Instant('Begun before this instant.'),
    startFrom: Instant('Begun at this instant or later.'),
    taskIds: Ids('Entries for one of these tasks.'),
    ...Paging,
  }),
  response: List(TimeEntry),

  handler: ({ db, actor, query }) =>
    db.page({
      row: timeEntryRow,
      as: 'e',
      from: sql`time_entries e where ${and(
        sql`e.organization_id = ${actor.organizationId}`,
        query.departmentIds && oneOfIds('e.department_id', query.departmentIds),
        query.ids && oneOfIds('e.id', query.ids),
        query.isApproved !== undefined && sql`e.is_approved is ${raw(query.isApproved ? 'true' : 'not true')}`,
        query.isRunning !== undefined && sql`e.end_time is ${raw(query.isRunning ? 'null' : 'not null')}`,
        query.memberIds && memberIn('e.member_id', actor.organizationId, query.memberIds),
        query.propertyIds && oneOfIds('e.property_id', query.propertyIds),
        query.startBefore && sql`e.start_time < ${query.startBefore}`,
        query.startFrom && sql`e.start_time >= ${query.startFrom}`,
        query.taskIds && oneOfIds('e.task_id', query.taskIds),
      )}`,
      order: sql`e.created_at, e.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
