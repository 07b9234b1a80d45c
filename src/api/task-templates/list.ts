import Type from 'typebox'
import { and, containsFolded, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, List, Paging, Text } from '../../http/schema.ts'
import { TaskTemplate, taskTemplateRow } from './task-template.ts'

export const listTaskTemplates = read({
  route: 'GET /task-templates',
  id: 'listTaskTemplates',
  summary: 'List the task templates of the organization with their groups and checklist items',
  permission: 'view_task_templates',
  extension: true,
  query: Type.Object({
    departmentIds: Ids('Templates of one of these departments.'),
    ids: Ids('These templates.'),
    includeDeleted: Type.Boolean({ default: false, description: 'Deleted templates too.' }),
    nameContains: Type.Optional(Text({ description: 'Part of the name, whatever the case and accents.' })),
    ...Paging,
  }),
  response: List(TaskTemplate),

  handler: ({ db, actor, query }) =>
    db.page({
      row: taskTemplateRow,
      as: 't',
      from: sql`task_templates t where ${and(
        sql`t.organization_id = ${actor.organizationId}`,
        query.departmentIds && oneOfIds('t.department_id', query.departmentIds),
        query.ids && oneOfIds('t.id', query.ids),
        !query.includeDeleted && sql`t.deleted_at is null`,
        containsFolded('fold(t.name)', query.nameContains),
      )}`,
      order: sql`t.created_at, t.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
