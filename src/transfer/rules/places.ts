import { type StatusField, statusValues } from '../../api/properties/property.ts'
import { sql } from '../../db/sql.ts'
import { complain, type Import, isImported, recordsOf, unique } from './rule.ts'

/** One portal at most is the default. */
export async function checkPortals(given: Import): Promise<void> {
  const [chosen] = unique(given, 'portals', 'isDefault', ({ isDefault }) => (isDefault ? 'default' : null)).values()
  if (!chosen) return
  const stored = await given.trx.rows<{ id: string }>(
    sql`select id from portals where organization_id = ${given.organizationId} and is_default`,
  )
  for (const { id } of stored)
    if (!isImported(given, 'portals', id)) {
      const message = `is taken by portal ${id} of the organization: import that one too, with isDefault false`
      complain(given, 'portals', chosen.line, 'isDefault', 'taken', message)
    }
}

/** Coordinates lie on the globe. */
export function checkCoordinates(given: Import): void {
  for (const { line, value } of recordsOf(given, 'properties')) {
    if (Math.abs(Number(value.latitude ?? 0)) > 90)
      complain(given, 'properties', line, 'latitude', 'range', 'must be from -90 to 90')
    if (Math.abs(Number(value.longitude ?? 0)) > 180)
      complain(given, 'properties', line, 'longitude', 'range', 'must be from -180 to 180')
  }
}

const statusFields = Object.keys(statusValues) as StatusField[]

/** A status field says what stands in its vocabulary: Steward's values, the organization's, and those of the same import. */
export async function checkStatuses(given: Import): Promise<void> {
  const [properties, changes] = [recordsOf(given, 'properties'), recordsOf(given, 'property-status-changes')]
  if (given.batch.malformed.has('property-status-values') || properties.length + changes.length === 0) return
  const own = await given.trx.rows<{ field: StatusField; value: string }>(
    sql`select field, value from property_status_values where organization_id = ${given.organizationId}`,
  )
  own.push(...recordsOf(given, 'property-status-values').map(({ value }) => value))
  const known = Object.fromEntries(statusFields.map((field) => [field, new Set<string>(statusValues[field])]))
  for (const { field, value } of own) known[field]!.add(value)
  const message = (field: StatusField, value: string) =>
    `"${value}" is no ${field} status: add it to property-status-values.jsonl, or use ${statusValues[field].join(', ')}`
  const isUnknown = (field: StatusField, value: string | null | undefined): value is string =>
    value != null && !known[field]!.has(value)

  for (const { line, value } of properties)
    for (const field of statusFields) {
      const status = value[`${field}Status`]
      if (isUnknown(field, status))
        complain(given, 'properties', line, `${field}Status`, 'unknown_status_value', message(field, status))
    }
  for (const { line, value } of changes)
    for (const name of ['value', 'previousValue'] as const) {
      const status = value[name]
      if (isUnknown(value.field, status))
        complain(given, 'property-status-changes', line, name, 'unknown_status_value', message(value.field, status))
    }
}

const zoned = ['property-groups', 'properties'] as const

/** Zones are known by this very name to both Node.js and PostgreSQL. */
export async function checkTimeZones(given: Import): Promise<void> {
  const zones = new Set(zoned.flatMap((file) => recordsOf(given, file).map(({ value }) => value.timezone ?? 'UTC')))
  zones.delete('UTC')
  if (zones.size === 0) return
  const stored = await given.trx.rows<{ name: string }>(sql`select name from pg_timezone_names where name = any(${[...zones]})`)
  const known = new Set(stored.map(({ name }) => name).filter(isIntlZone)).add('UTC')
  for (const file of zoned)
    for (const { line, value } of recordsOf(given, file))
      if (value.timezone && !known.has(value.timezone))
        complain(given, file, line, 'timezone', 'time_zone', `"${value.timezone}" is no IANA time zone`)
}

function isIntlZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined
  } catch {
    return false
  }
}
