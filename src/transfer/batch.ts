import type { TSchema } from 'typebox'
import { isUuid } from '../db/sql.ts'
import { checker } from '../http/validate.ts'
import { type FileName, recordFile } from './records.ts'
import type { Report } from './report.ts'

/** A well-formed record and the line it came from. Its ids are in lower case, its instants in UTC and whole milliseconds. */
export type Entry = { readonly line: number; readonly value: Record<string, unknown> }

/** What is to be imported: the well-formed records, and which keys were seen, those of malformed lines included. */
export type Batch = {
  readonly entries: Map<FileName, Entry[]>
  /** By file, and the user ids of members under `users`: key and line. */
  readonly seen: Map<FileName | 'users', Map<string, number>>
  /** Files with a line that cannot be told apart or understood: what they hold as a whole is not known. */
  readonly malformed: Set<FileName>
}

export const emptyBatch = (): Batch => ({ entries: new Map(), seen: new Map(), malformed: new Set() })
export const entriesOf = (batch: Batch, file: FileName): Entry[] => batch.entries.get(file) ?? []
export const fileOf = (name: FileName): string => `${name}.jsonl`

/** Puts a line's value into the batch, or says everything that is wrong with it. */
export function addRecord(batch: Batch, report: Report, file: FileName, line: number, value: unknown): void {
  const issues = shapeIssues(file, value)
  for (const { field, code, message } of issues) report.add({ file: fileOf(file), line, field, code, message })
  const record = issues.length === 0 ? canonical(file, value as Entry['value']) : (value as Entry['value'] | null)
  const unique = noteKeys(batch, report, file, line, record)
  if (issues.length > 0 || !unique) {
    batch.malformed.add(file)
    return
  }
  const entries = batch.entries.get(file) ?? []
  entries.push({ line, value: record! })
  batch.entries.set(file, entries)
}

type ShapeIssue = { field: string | null; code: string; message: string }

function shapeIssues(file: FileName, value: unknown): ShapeIssue[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ field: null, code: 'type', message: 'a line must hold one JSON object' }]
  const unclean = Object.entries(value).flatMap(([field, inner]) => uncleanPart(field, inner) ?? [])
  if (unclean.length > 0) return unclean
  const issues = checkOf(file)(value).map(({ path, code, message }) => ({
    field: path.slice(1) || null,
    code,
    message: code === 'unknown' ? `is not a field of ${fileOf(file)}` : message,
  }))
  return withoutNullBranches(issues).concat(issues.length === 0 ? badInstants(file, value as Entry['value']) : [])
}

/** A nullable field that fits neither branch is one mistake, not two. */
function withoutNullBranches(issues: ShapeIssue[]): ShapeIssue[] {
  const others = new Set(issues.filter(({ message }) => message !== 'must be null').map(({ field }) => field))
  const nullable = new Set(issues.filter(({ message }) => message === 'must be null').map(({ field }) => field))
  return issues
    .filter(({ field, message }) => message !== 'must be null' || !others.has(field))
    .map((issue) =>
      nullable.has(issue.field) && issue.code === 'type' ? { ...issue, message: `${issue.message} or null` } : issue,
    )
}

const maxDepth = 32

/** What neither PostgreSQL nor JSON can hold, or only at great cost. Checked before the schema, whose checks walk as deep as the value goes. */
function uncleanPart(name: string, value: unknown, field = name, depth = 0): ShapeIssue | undefined {
  if (uncleanText(name))
    return { field: null, code: 'encoding', message: 'a field name contains NUL or half of a surrogate pair' }
  if (typeof value === 'string' && uncleanText(value))
    return { field, code: 'encoding', message: 'contains NUL or half of a surrogate pair' }
  if (typeof value === 'number' && !Number.isFinite(value))
    return { field, code: 'range', message: 'is a number beyond any range' }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === maxDepth) return { field, code: 'depth', message: `is nested deeper than ${maxDepth} levels` }
  for (const [key, inner] of Object.entries(value)) {
    const issue = uncleanPart(key, inner, field, depth + 1)
    if (issue) return issue
  }
  return undefined
}

const uncleanText = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** An offset may push the first or last day of the calendar out of the years 0001 to 9999. */
function badInstants(file: FileName, value: Entry['value']): ShapeIssue[] {
  return shapeOf(file)
    .instants.filter((field) => {
      const given = value[field]
      if (typeof given !== 'string') return false
      const year = new Date(given).getUTCFullYear()
      return !(year >= 1 && year <= 9999)
    })
    .map((field) => ({ field, code: 'range', message: 'must lie in the years 0001 to 9999 in UTC' }))
}

/** Remembers the keys of a line, malformed or not, so that references to it are not called unknown; false where it is a double. */
function noteKeys(batch: Batch, report: Report, file: FileName, line: number, value: Entry['value'] | null): boolean {
  const key = keyOf(file, value)
  let unique = true
  if (key !== undefined) {
    const before = note(batch, file, key, line)
    if (before !== undefined) {
      unique = false
      const field = recordFile(file).key?.join(', ') ?? 'id'
      report.add({ file: fileOf(file), line, field, code: 'duplicate', message: `is the same as on line ${before}` })
    }
  }
  const userId = file === 'members' ? value?.userId : undefined
  if (typeof userId === 'string' && isUuid(userId)) {
    const before = note(batch, 'users', userId.toLowerCase(), line)
    if (before !== undefined && unique) {
      unique = false
      const message = `is that of the member on line ${before} already`
      report.add({ file: fileOf(file), line, field: 'userId', code: 'duplicate', message })
    }
  }
  return unique
}

function note(batch: Batch, under: FileName | 'users', key: string, line: number): number | undefined {
  const seen = batch.seen.get(under) ?? new Map<string, number>()
  batch.seen.set(under, seen)
  const before = seen.get(key)
  if (before === undefined) seen.set(key, line)
  return before
}

function keyOf(file: FileName, value: Entry['value'] | null): string | undefined {
  const { key } = recordFile(file)
  if (typeof value !== 'object' || value === null) return undefined
  if (key) return JSON.stringify(key.map((field) => value[field]))
  return typeof value.id === 'string' && isUuid(value.id) ? value.id.toLowerCase() : undefined
}

function canonical(file: FileName, value: Entry['value']): Entry['value'] {
  const copy = { ...value }
  const { ids, instants } = shapeOf(file)
  for (const field of ids) if (copy[field] !== undefined) copy[field] = lowerCaseIds(copy[field])
  // What is finer than a millisecond is cut off, as by the API; PostgreSQL would round it.
  for (const field of instants) if (typeof copy[field] === 'string') copy[field] = new Date(copy[field]).toISOString()
  return copy
}

function lowerCaseIds(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(lowerCaseIds)
  if (typeof value === 'object' && value !== null) return { ...value, id: lowerCaseIds((value as { id: unknown }).id) }
  return value
}

type JsonSchema = { format?: string; anyOf?: JsonSchema[]; items?: JsonSchema & { properties?: { id?: JsonSchema } } }
type Shape = { check: ReturnType<typeof checker>; ids: string[]; instants: string[] }
const shapes = new Map<FileName, Shape>()

/** What the schema of a file says, worked out once. */
function shapeOf(file: FileName): Shape {
  const known = shapes.get(file)
  if (known) return known
  const { schema } = recordFile(file)
  const fields = Object.entries(schema.properties as Record<string, TSchema>)
  const named = (fits: (field: JsonSchema) => boolean) =>
    fields.filter(([, field]) => fits(withoutNull(field))).map(([name]) => name)
  const isId = (field: JsonSchema | undefined) => field?.format === 'uuid'
  const shape = {
    check: checker(schema, ''),
    ids: named((field) => isId(field) || isId(field.items) || isId(field.items?.properties?.id)),
    instants: named(({ format }) => format === 'date-time'),
  }
  shapes.set(file, shape)
  return shape
}

const checkOf = (file: FileName) => shapeOf(file).check
const withoutNull = (field: JsonSchema): JsonSchema => (field.anyOf ? field.anyOf[0]! : field)
