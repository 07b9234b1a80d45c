/**
 * SQL as tagged templates: values become bound parameters, fragments nest, and equal texts are prepared once.
 *
 *     const open = sql`status not in ('completed', 'cancelled')`
 *     sql`select count(*) from tasks where organization_id = ${id} and ${open}`
 */
export type Sql = { readonly strings: readonly string[]; readonly values: readonly Value[] }
export type Value = Sql | Param
type Param = string | number | boolean | Date | Buffer | null | readonly string[] | readonly (string | null)[]

export type Statement = { text: string; values: Param[] }

export function sql(strings: TemplateStringsArray, ...values: readonly Value[]): Sql {
  return { strings, values }
}

/** Text that stands in the source: a column, a keyword, a projection. Never anything that came from outside. */
export function raw(text: string): Sql {
  const known = raws.get(text)
  if (known) return known
  const made = { strings: [text], values: [] }
  if (raws.size < 1000) raws.set(text, made)
  return made
}

const raws = new Map<string, Sql>()

const isSql = (value: Value): value is Sql =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return raw('')
  const key = `${parts.length}${separator}`
  const strings = joints.get(key) ?? ['', ...new Array<string>(parts.length - 1).fill(separator), '']
  joints.set(key, strings)
  return { strings, values: parts }
}

const joints = new Map<string, readonly string[]>()

/** The conditions that were given, all of which must hold; `true` where none was. */
export function and(...conditions: readonly (Sql | undefined | false | '')[]): Sql {
  const given = conditions.filter((condition) => typeof condition === 'object')
  return given.length === 0 ? raw('true') : join(given, ' and ')
}

/** `column` is one of `values`: an equality for a single one, because `= any` of one value is 12 % dearer; false for none. */
export function oneOf(column: string, values: readonly string[]): Sql {
  const [first, ...rest] = values
  if (first === undefined) return raw('false')
  return rest.length === 0 ? sql`${raw(column)} = ${first}` : sql`${raw(column)} = any(${values})`
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** PostgreSQL takes braces and missing dashes too; the API takes only the canonical form (RFC 9562, section 4). */
export const isUuid = (value: string): boolean => uuid.test(value)

/** Like `oneOf` on a uuid column, for filters that take any string: one that is no UUID matches nothing. */
export function oneOfIds(column: string, values: readonly string[]): Sql {
  return oneOf(column, values.filter(isUuid))
}

/** `column` contains `term`, whatever the case and accents; no filter where the term is empty. `column` must be the indexed expression. */
export function containsFolded(column: string, term: string | undefined): Sql | undefined {
  if (term === undefined || term === '') return undefined
  // A subquery of its own, so that the term is folded once and not again for every row.
  return sql`${raw(column)} like (select '%' || regexp_replace(fold(${term}), '([\\\\%_])', '\\\\\\1', 'g') || '%')`
}

/**
 * The statement as PostgreSQL wants it: `$1` … `$n` and their values. A text is put together once per shape: the same
 * templates nested in the same way are found again by their identity, without building or comparing the text.
 */
export function compile(statement: Sql): Statement {
  const values: Param[] = []
  const shape = shapeOf(statement, shapes, values)
  shape.text ??= write(statement, { values: 0 })
  return { text: shape.text, values }
}

type Shape = { text?: string; param?: Shape; next: WeakMap<readonly string[], Shape> }
const shapes: Shape = { next: new WeakMap() }

/** Collects the values in order and walks down the tree of known shapes, a step for each template and each value. */
function shapeOf(part: Sql, from: Shape, values: Param[]): Shape {
  let shape = from.next.get(part.strings)
  if (!shape) {
    shape = { next: new WeakMap() }
    from.next.set(part.strings, shape)
  }
  for (const value of part.values) {
    if (isSql(value)) shape = shapeOf(value, shape, values)
    else {
      values.push(value)
      shape = shape.param ??= { next: new WeakMap() }
    }
  }
  return shape
}

function write(part: Sql, count: { values: number }): string {
  let text = part.strings[0]!
  for (let i = 0; i < part.values.length; i++) {
    const value = part.values[i]!
    text += isSql(value) ? write(value, count) : `$${++count.values}`
    text += part.strings[i + 1]
  }
  return text
}
