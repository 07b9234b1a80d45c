import Type from 'typebox'
import { and, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Ids, List, OneOf, Paging, Text, Uuid } from '../../http/schema.ts'
import { namedBy } from '../members/member.ts'
import { categories, Department, departmentRow, languages, shownText } from './department.ts'

export const listDepartments = read({
  route: 'GET /departments',
  id: 'listDepartments',
  summary: 'List the departments',
  description: 'Its ids are what task creation takes as `departmentId`.',
  permission: 'view_tasks',
  query: Type.Object({
    category: Type.Optional(OneOf(categories, { description: 'Departments of this category.' })),
    forMemberId: Type.Optional({ ...Uuid, description: 'Departments of this member, by member id or user id.' }),
    ids: Ids('These departments.'),
    includeArchived: Type.Boolean({ default: false, description: 'Archived departments too.' }),
    language: Type.Optional(OneOf(languages, { description: 'Of name and description; what is not translated stays as it is.' })),
    nameContains: Type.Optional(Text({ description: 'Part of the name as it is shown, whatever the case and accents.' })),
    ...Paging,
  }),
  response: List(Department),

  handler: ({ db, actor, query }) =>
    db.page({
      row: departmentRow(query.language),
      as: 'd',
      from: sql`departments d where ${and(
        sql`d.organization_id = ${actor.organizationId}`,
        query.category && sql`d.category = ${query.category}`,
        query.forMemberId &&
          sql`exists (select from department_members l
            join members m on m.organization_id = l.organization_id and m.id = l.member_id
            where l.organization_id = d.organization_id and l.department_id = d.id and ${namedBy(query.forMemberId)})`,
        query.ids && oneOfIds('d.id', query.ids),
        !query.includeArchived && sql`d.archived_at is null`,
        // An organization has few departments, and which text is meant depends on the language: no index would serve.
        query.nameContains &&
          sql`position(fold(${query.nameContains}) in fold(coalesce(${shownText('name', query.language)}, ''))) > 0`,
      )}`,
      order: sql`d.created_at, d.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
