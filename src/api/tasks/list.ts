import Type from 'typebox'
import { and, containsFolded, isUuid, oneOf, oneOfIds, raw, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Ids, Instant, List, Paging, Text } from '../../http/schema.ts'
import { TaskDetail, taskDetailRow, taskPriorities, taskStatuses } from './task.ts'

export const listTasks = read({
  route: 'GET /tasks',
  id: 'listTasks',
  summary: 'List the tasks of the organization with their items',
  permission: 'view_tasks',
  extension: true,
  query: Type.Object({
    assigneeUserIds: Ids('Tasks assigned to one of these users; user ids, not member ids.'),
    collaboratorUserIds: Ids('Tasks with one of these users among the collaborators; user ids, not member ids.'),
    departmentIds: Ids('Tasks of one of these departments.'),
    dueBefore: Instant('Due before this instant.'),
    dueFrom: Instant('Due at this instant or later.'),
    ids: Ids('These tasks.'),
    includeDeleted: Type.Boolean({ default: false, description: 'Deleted tasks too.' }),
    isBlocking: Type.Optional(Type.Boolean({ description: 'Both where left out.' })),
    isUnassigned: Type.Optional(Type.Boolean({ description: 'Both where left out.' })),
    nameContains: Type.Optional(Text({ description: 'Part of the name, whatever the case and accents.' })),
    priorities: AnyOf(taskPriorities, 'Tasks of one of these priorities.'),
    propertyGroupIds: Ids('Tasks of one of these property groups.'),
    propertyIds: Ids('Tasks of one of these properties.'),
    reservationIds: Ids('Tasks of one of these reservations.'),
    statuses: AnyOf(taskStatuses, 'Tasks in one of these statuses.'),
    templateIds: Ids('Tasks bound to one of these templates.'),
    ...Paging,
  }),
  response: List(TaskDetail),

  handler: ({ db, actor, query }) =>
    db.page({
      row: taskDetailRow,
      as: 't',
      from: sql`tasks t where ${and(
        sql`t.organization_id = ${actor.organizationId}`,
        query.assigneeUserIds && oneOfIds('t.assignee_user_id', query.assigneeUserIds),
        query.collaboratorUserIds && sql`t.collaborators && ${query.collaboratorUserIds.filter(isUuid)}`,
        query.departmentIds && oneOfIds('t.department_id', query.departmentIds),
        query.dueBefore && sql`t.due < ${query.dueBefore}`,
        query.dueFrom && sql`t.due >= ${query.dueFrom}`,
        query.ids && oneOfIds('t.id', query.ids),
        !query.includeDeleted && sql`t.deleted_at is null`,
        query.isBlocking !== undefined && sql`t.is_blocking = ${query.isBlocking}`,
        query.isUnassigned !== undefined && sql`t.assignee_user_id is ${raw(query.isUnassigned ? 'null' : 'not null')}`,
        containsFolded('fold(t.name)', query.nameContains),
        query.priorities && oneOf('t.priority', query.priorities),
        query.propertyGroupIds && oneOfIds('t.property_group_id', query.propertyGroupIds),
        query.propertyIds && oneOfIds('t.property_id', query.propertyIds),
        query.reservationIds && oneOfIds('t.reservation_id', query.reservationIds),
        query.statuses && oneOf('t.status', query.statuses),
        query.templateIds && oneOfIds('t.template_id', query.templateIds),
      )}`,
      order: sql`t.created_at, t.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
