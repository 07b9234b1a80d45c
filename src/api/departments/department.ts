import Type from 'typebox'
import { Computed, projection } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import {
  DateTime,
  Nullable,
  NullableBoolean,
  NullableDateTime,
  NullableString,
  OneOf,
  Resource,
  Uuid,
} from '../../http/schema.ts'

/** Contract, section 4. */
export const categories = ['cleans', 'maintenance', 'inspections', 'guest_experience', 'other'] as const
export const languages = ['en', 'es', 'fr', 'nl', 'de', 'zh', 'ar', 'it', 'bg', 'ja', 'pt', 'el', 'cs', 'he'] as const
export type Language = (typeof languages)[number]

export const Department = Resource('Department', {
  id: Uuid,
  name: NullableString,
  description: NullableString,
  category: Nullable(OneOf(categories)),
  color: NullableString,
  activeTaskCount: Computed(Type.Integer({ description: 'Tasks neither completed, cancelled nor deleted.' })),
  memberCount: Computed(Type.Integer({ description: 'Members who are not deactivated.' })),
  managerNames: Computed(Type.Array(Type.String(), { description: '"First Last", in order.' })),
  isMaintenance: NullableBoolean,
  autoAssignEnabled: NullableBoolean,
  assignmentMethod: NullableString,
  backupAssignmentMethod: NullableString,
  blockingPriority: NullableString,
  archivedAt: NullableDateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** The text of `field` that a reader of `language` sees: the translation, or the department's own where there is none. */
export function shownText(field: 'name' | 'description', language: Language | undefined): Sql {
  if (!language) return raw(`d.${field}`)
  return sql`coalesce((select ${raw(`t.${field}`)} from department_translations t
    where t.organization_id = d.organization_id and t.department_id = d.id and t.language = ${language}), ${raw(`d.${field}`)})`
}

const tasksOfDepartment = sql`t.organization_id = d.organization_id and t.department_id = d.id and t.deleted_at is null`

const membersOfDepartment = sql`from department_members l
  join members m on m.organization_id = l.organization_id and m.id = l.member_id
  where l.organization_id = d.organization_id and l.department_id = d.id and m.deactivated_at is null`

const counts = {
  // Two counts: the index of active tasks leaves out those without a status, which an import may bring.
  activeTaskCount: sql`(select count(*) from tasks t where ${tasksOfDepartment}
    and (t.status is null or t.status not in ('completed', 'cancelled')))::text`,
  memberCount: sql`(select count(*) ${membersOfDepartment})::text`,
  // Under "C" collation, so that the order is the same on every server; folded, so that Álvaro comes before Zoe.
  managerNames: sql`to_json(array(select n.name from (
    select concat_ws(' ', nullif(m.first_name, ''), nullif(m.last_name, '')) as name ${membersOfDepartment} and l.is_manager) n
    where n.name <> '' order by fold(n.name) collate "C", n.name collate "C"))::text`,
}

const rowIn = (language: Language | undefined) =>
  projection(Department, 'd', {
    ...(language ? { name: asJson(shownText('name', language)), description: asJson(shownText('description', language)) } : {}),
    ...counts,
  })

const asJson = (text: Sql): Sql => sql`coalesce(to_json(${text})::text, 'null')`

// Made once each: a statement's text is found again by the identity of its parts.
const rows = new Map([undefined, ...languages].map((language) => [language, rowIn(language)]))

/** A department under the alias `d`, its name and description in a language, or as stored. */
export const departmentRow = (language: Language | undefined) => rows.get(language)!
