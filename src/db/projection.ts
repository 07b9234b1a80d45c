import type { Static, TSchema } from 'typebox'
import { raw, type Sql, sql } from './sql.ts'

declare const rowType: unique symbol
declare const computedMark: unique symbol

/** A row as JSON text, made in SQL: the expression, and the type of what it says. */
export type Projection<T> = Sql & { readonly [rowType]?: T }

/** A field that is no column: whoever projects the resource must say how it is computed. */
export type Computed<S extends TSchema = TSchema> = S & { readonly [computedMark]: true }

const computedSchemas = new WeakSet<object>()

export function Computed<S extends TSchema>(schema: S): Computed<S> {
  // A copy: the schema may be one that many fields share.
  const marked = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Computed<S>
  computedSchemas.add(marked)
  return marked
}

type Fields = Record<string, TSchema>
type ComputedKeys<P extends Fields> = { [K in keyof P]: P[K] extends { [computedMark]: true } ? K : never }[keyof P]
/** SQL for each computed field. It yields JSON text (`'null'` for null), never an SQL null: that would swallow the whole row. */
type ComputedSql<P extends Fields> = { [K in ComputedKeys<P>]: Sql }
type ObjectSchema<P extends Fields = Fields> = TSchema & { properties: P }
type Rest<P extends Fields> = [ComputedKeys<P>] extends [never]
  ? [computed?: { [K in keyof P]?: Sql }]
  : [computed: ComputedSql<P> & { [K in keyof P]?: Sql }]

/**
 * The row of `alias` as the JSON text of `schema`: field `createdAt` is the column `created_at`, a date-time is written
 * as UTC with milliseconds and `Z`. A field given in `computed` takes that SQL instead of its column.
 *
 * Text is concatenated rather than built by json_build_object, which costs twice as much (docs/performance.md); a test
 * holds the two equal.
 */
export function projection<P extends Fields, S extends ObjectSchema<P>>(
  schema: S & { properties: P },
  alias: string,
  ...[computed]: Rest<P>
): Projection<Static<S>> {
  const given = (computed ?? {}) as Record<string, Sql | undefined>
  const strings: string[] = []
  const values: Sql[] = []
  let text = ''
  for (const [index, [name, field]] of Object.entries(schema.properties).entries()) {
    text += `${index === 0 ? "'{" : " || ',"}"${name}":' || `
    const own = given[name]
    if (own) {
      strings.push(`${text}(`)
      values.push(own)
      text = ')'
    } else {
      if (computedSchemas.has(field)) throw new Error(`projection: ${name} is computed and no SQL was given for it`)
      text += columnAsJson(`${alias}.${snakeCase(name)}`, field)
    }
  }
  strings.push(`${text} || '}'`)
  return { strings, values }
}

/** JSON text of one column, by the schema of its field. */
export function columnAsJson(column: string, field: TSchema): string {
  const { schema, nullable } = unwrap(field)
  const text = nonNullAsJson(column, schema)
  return nullable ? `coalesce(${text}, 'null')` : text
}

/** An array of rows as JSON text. `query` is `from … where … order by …` under the row's alias. */
export function arrayOf(row: Sql, query: Sql): Sql {
  return sql`'[' || array_to_string(array(select ${row} ${query}), ',') || ']'`
}

/** SQL that writes an instant as JSON text does, without the quotes. */
export const instantText = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

type JsonSchema = { type?: string; format?: string; enum?: unknown[]; anyOf?: JsonSchema[]; const?: unknown }

function unwrap(field: TSchema): { schema: JsonSchema; nullable: boolean } {
  const { anyOf } = field as JsonSchema
  if (anyOf?.length === 2 && anyOf[1]?.type === 'null') return { schema: anyOf[0]!, nullable: true }
  return { schema: field as JsonSchema, nullable: (field as JsonSchema).type === undefined && !('enum' in field) }
}

function nonNullAsJson(column: string, schema: JsonSchema): string {
  // Neither needs escaping: a uuid's and an instant's characters are known, and a closed set of values is a check constraint.
  if (schema.format === 'uuid' || schema.enum) return `'"' || ${column} || '"'`
  if (schema.format === 'date-time') return `'"' || ${instantText(column)} || '"'`
  if (schema.type === 'string') return `to_json(${column}::text)::text`
  if (schema.type === 'array') return `to_json(${column})::text`
  // Numbers, booleans and stored JSON write themselves.
  return `${column}::text`
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A field that the caller may not see: present, and null. */
export const hidden: Sql = raw("'null'")
