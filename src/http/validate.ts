import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Issue } from './errors.ts'

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

/** A check of one part of a request: every broken constraint at once, none where it fits. */
export type Check = (value: unknown) => Issue[]

/** `part` begins the path of each issue: query, params or body. */
export function checker(schema: TSchema, part: string): Check {
  const compiled = Compile(schema)
  return (value) => {
    if (!compiled.Check(value)) return distinct(compiled.Errors(value)).flatMap((error) => issuesOf(error, part, schema))
    return uncleanTexts(value, part)
  }
}

/** Where a format is broken, the pattern that says it to clients without the format is too: that is one issue. */
function distinct(errors: SchemaError[]): SchemaError[] {
  const ofFormat = new Set(errors.filter(({ keyword }) => keyword === 'format').map(({ instancePath }) => instancePath))
  return errors.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !ofFormat.has(instancePath))
}

function issuesOf(error: SchemaError, part: string, root: TSchema): Issue[] {
  const path = part + error.instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({
        path: `${path}.${name}`,
        code: 'required',
        message: 'is required',
      }))
    case 'additionalProperties':
      return (params.additionalProperties as string[]).map((name) => ({
        path: `${path}.${name}`,
        code: 'unknown',
        message: 'is not a field of this operation',
      }))
    // Said already, by `additionalProperties` and by the branches of the union.
    case 'boolean':
    case 'anyOf':
      return []
    case 'enum':
      return [{ path, code: 'enum', message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` }]
    case 'pattern':
      return [{ path, code: 'pattern', message: patternMessage(error, root) }]
    default:
      return [{ path, code: snake(error.keyword), message: error.message }]
  }
}

/** A schema may say in words what its pattern wants (`patternMessage`). */
function patternMessage(error: SchemaError, root: TSchema): string {
  let schema: unknown = root
  for (const step of error.schemaPath.split('/').slice(1)) schema = (schema as Record<string, unknown> | undefined)?.[step]
  const message = (schema as { patternMessage?: string } | undefined)?.patternMessage
  return (
    message ?? (((schema as { pattern?: string })?.pattern ?? '').includes('\\u0000') ? 'must not contain NUL' : error.message)
  )
}

/** Texts PostgreSQL cannot hold: NUL, and half a surrogate pair. Only what the schema let through is walked, so its depth is bounded. */
function uncleanTexts(value: unknown, path: string): Issue[] {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [{ path, code: 'pattern', message: 'must not contain NUL' }]
    return value.isWellFormed() ? [] : [{ path, code: 'encoding', message: 'contains half of a surrogate pair' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => uncleanTexts(inner, `${path}.${key}`))
}

const snake = (keyword: string): string => keyword.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
