import type { TObject, TSchema } from 'typebox'
import type { Issue } from './errors.ts'

type Parsed = { query: Record<string, unknown>; issues: Issue[] }
type ParameterSchema = TSchema & { type?: string; default?: unknown; items?: ParameterSchema }

/**
 * The query string as the endpoint's schema types it, strictly: `limit=1e2`, `online=1`, a repeated scalar, an unknown
 * name, broken percent-encoding and NUL are issues, never guesses. Arrays are repeated keys, `types=lock&types=hub` or
 * `types[]=lock`; a comma is a character like any other. Defaults of the schema stand in for what was left out.
 */
export function parseQuery(url: string, schema: TObject | undefined): Parsed {
  const query: Record<string, unknown> = Object.create(null)
  const issues: Issue[] = []
  const properties = (schema?.properties ?? {}) as Record<string, ParameterSchema>

  for (const [rawName, rawValue] of pairs(url)) {
    const value = decode(rawValue)
    const sentName = decode(rawName)
    if (value === undefined || sentName === undefined) {
      issues.push({ path: `query.${sentName ?? '?'}`, code: 'encoding', message: 'is not valid percent-encoded UTF-8' })
      continue
    }
    const name = sentName.endsWith('[]') && properties[sentName.slice(0, -2)]?.type === 'array' ? sentName.slice(0, -2) : sentName
    const parameter = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!parameter) issues.push({ path: `query.${name}`, code: 'unknown', message: 'is not a parameter of this operation' })
    else if (parameter.type === 'array') {
      query[name] ??= []
      ;(query[name] as unknown[]).push(typed(value, parameter.items!))
    } else if (name in query) issues.push({ path: `query.${name}`, code: 'repeated', message: 'may be given only once' })
    else query[name] = typed(value, parameter)
  }
  for (const name in properties) {
    const fallback = properties[name]!.default
    if (fallback !== undefined && !(name in query)) query[name] = fallback
  }
  return { query, issues }
}

function* pairs(url: string): Generator<[string, string]> {
  const start = url.indexOf('?')
  if (start < 0) return
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    yield equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
  }
}

/** Undefined where the bytes are no UTF-8 or a percent sign stands alone. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The value in its declared type where it is written that way; otherwise the text, which the schema then refuses. */
function typed(value: string, schema: ParameterSchema): unknown {
  if (schema.type === 'integer') return /^-?\d{1,400}$/.test(value) ? Number(value) : value
  if (schema.type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}
