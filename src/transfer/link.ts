import { raw, type Sql, sql } from '../db/sql.ts'

/** A field of a record whose items are rows of a table of their own. */
export type Link = {
  field: string
  table: string
  /** The column that names the record. */
  owner: string
  /** The column that, with the owner, tells the rows apart. */
  key: string
  /** Further columns. */
  columns: readonly string[]
  /** The rows that a value of the field stands for, without their owner; none where it was left out. */
  rows(value: unknown): Record<string, unknown>[]
  /** The field of the record under `alias`, as JSON text. */
  json(alias: string): Sql
}

type Where = { field: string; table: string; owner: string }

/** An array of ids. */
export function idLink({ key, ...where }: Where & { key: string }): Link {
  return {
    ...where,
    key,
    columns: [],
    rows: (ids = []) => (ids as string[]).map((id) => ({ [key]: id })),
    json: (alias) => jsonArray(`'"' || l.${key} || '"'`, where, key, alias),
  }
}

/** The departments of a member: `[{ id, isManager }]`. */
export const departmentLink: Link = {
  field: 'departments',
  table: 'department_members',
  owner: 'member_id',
  key: 'department_id',
  columns: ['is_manager'],
  rows: (departments = []) =>
    (departments as { id: string; isManager?: boolean }[]).map(({ id, isManager = false }) => ({
      department_id: id,
      is_manager: isManager,
    })),
  json: (alias) =>
    jsonArray(
      `'{"id":"' || l.department_id || '","isManager":' || l.is_manager || '}'`,
      { table: 'department_members', owner: 'member_id' },
      'department_id',
      alias,
    ),
}

/** The translations of a department: `{ fr: { name, description } }`. */
export const translationLink: Link = {
  field: 'translations',
  table: 'department_translations',
  owner: 'department_id',
  key: 'language',
  columns: ['name', 'description'],
  rows: (translations = {}) =>
    Object.entries(translations as Record<string, { name?: string | null; description?: string | null }>).map(
      ([language, { name = null, description = null }]) => ({ language, name, description }),
    ),
  json: (alias) => sql`(
    select coalesce(json_object_agg(l.language, json_build_object('name', l.name, 'description', l.description)
      order by l.language), '{}')::text
    from department_translations l
    where l.organization_id = ${raw(alias)}.organization_id and l.department_id = ${raw(alias)}.id)`,
}

function jsonArray(item: string, { table, owner }: Omit<Where, 'field'>, key: string, alias: string): Sql {
  return raw(`'[' || array_to_string(array(select ${item} from ${table} l
    where l.organization_id = ${alias}.organization_id and l.${owner} = ${alias}.id order by l.${key}), ',') || ']'`)
}
