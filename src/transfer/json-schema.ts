import type { TSchema } from 'typebox'
import { fileOf } from './batch.ts'
import type { Target } from './record.ts'
import { type FileName, fileNames, recordFile } from './records.ts'

type Schema = {
  type?: string
  format?: string
  enum?: string[]
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** The JSON Schema (2020-12) of a line of each file, by path in the repository. */
export function schemaFiles(): Record<string, string> {
  return Object.fromEntries(
    fileNames.map((file) => [`docs/schemas/${file}.schema.json`, `${JSON.stringify(schemaOf(file), null, 2)}\n`]),
  )
}

function schemaOf(file: FileName): object {
  const { schema, about } = recordFile(file)
  const { properties, ...rest } = schema as unknown as Schema & { properties: Record<string, Schema> }
  const described = Object.entries(properties).map(([name, field]) => {
    const description = [referenceNote(file, name), noteOf(field)].filter(Boolean).join(' ')
    return [name, description ? { ...field, description } : field]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A line of ${fileOf(file)}`,
    description: about,
    ...rest,
    properties: Object.fromEntries(described),
  }
}

/** A field's own words, those of a nullable one included. */
const noteOf = ({ description, anyOf }: Schema): string | undefined => description ?? anyOf?.[0]?.description

function referenceNote(file: FileName, field: string): string | undefined {
  const target = (recordFile(file).references as Record<string, Target> | undefined)?.[field]
  if (target === undefined) return undefined
  return target === 'users' ? 'Names a member by `userId`.' : `Names a record of \`${fileOf(target)}\`.`
}

const [begin, end] = ['<!-- fields: generated, do not edit -->', '<!-- end of fields -->']

/** docs/import.md with the part between its markers made anew. */
export function importPage(page: string): string {
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`docs/import.md must hold the lines ${begin} and ${end}`)
  return `${page.slice(0, start)}${begin}\n\n${fileNames.map(fieldTable).join('\n')}\n${page.slice(stop)}`
}

function fieldTable(file: FileName): string {
  const { schema, about } = recordFile(file)
  const rows = Object.entries(schema.properties as Record<string, TSchema & Schema>).map(([name, field]) => {
    const required = ((schema.required ?? []) as string[]).includes(name)
    const takes = [takesOf(field), referenceNote(file, name), noteOf(field)].filter(Boolean).join('. ').replaceAll('..', '.')
    return `| \`${name}\` | ${takes} | ${required ? '**required**' : leftOut(file, name, field)} |`
  })
  return `### ${fileOf(file)}

${about} ([schema](schemas/${file}.schema.json))

| field | takes | left out |
|---|---|---|
${rows.join('\n')}
`
}

/** What is not simply a default. */
const filledIn: Record<string, string> = {
  'members permissions': "the role's",
  'reservations nightCount': 'worked out',
  'reservations propertyGroupId': "the property's",
  'tasks propertyGroupId': "the property's",
  'time-entries durationMinutes': 'worked out',
}

function leftOut(file: FileName, name: string, field: Schema): string {
  if (name === 'createdAt' || name === 'updatedAt') return 'see above'
  const filled = filledIn[`${file} ${name}`]
  if (filled) return filled
  return field.default === undefined ? 'null' : `\`${JSON.stringify(field.default)}\``
}

function takesOf(field: Schema): string {
  if (field.anyOf) return takesOf(field.anyOf[0]!)
  if (field.enum) return field.enum.length > 20 ? 'one of a closed set' : field.enum.map((value) => `\`${value}\``).join(', ')
  switch (field.type) {
    case 'string':
      return textOf(field)
    case 'integer':
    case 'number':
      return numberOf(field)
    case 'array':
      return field.items?.properties ? `array of ${objectOf(field.items)}` : `array of: ${takesOf(field.items!)}`
    case 'object':
      return field.properties ? objectOf(field) : 'object'
    default:
      return field.type ?? 'any JSON'
  }
}

function textOf({ format, maxLength }: Schema): string {
  if (format === 'uuid') return 'UUID'
  if (format === 'date-time') return 'date-time'
  const kind = format === 'email' ? 'e-mail address' : format === 'uri' ? 'http or https URL' : 'text'
  return maxLength ? `${kind}, up to ${maxLength.toLocaleString('en')} characters` : kind
}

function numberOf({ type, minimum, maximum }: Schema): string {
  const kind = type === 'integer' ? 'whole number' : 'number'
  if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return kind
  return maximum === undefined || maximum >= 2 ** 31 - 1 ? `${kind}, at least ${minimum}` : `${kind}, ${minimum} to ${maximum}`
}

const objectOf = ({ properties = {} }: Schema): string => {
  const names = Object.keys(properties)
  const [first] = Object.values(properties)
  // Languages: the same object under each.
  if (first?.properties) return `object; under each of ${names.map((name) => `\`${name}\``).join(', ')}: ${objectOf(first)}`
  return `{ ${names.map((name) => `\`${name}\``).join(', ')} }`
}
