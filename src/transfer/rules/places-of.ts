import { sql } from '../../db/sql.ts'
import { type Import, recordsOf } from './rule.ts'

type Place = { propertyGroupId: string | null; timezone: string | null }

/**
 * What follows from the property of a record: its group, and its time zone or else the organization's. Under null stands what
 * follows from none.
 */
export async function placesOf(
  given: Import,
  records: readonly { value: { propertyId?: string | null } }[],
): Promise<Map<string | null, Place>> {
  const { trx, organizationId } = given
  const places = new Map<string | null, Place>()
  if (records.length === 0) return places
  const [organization] = await trx.rows<{ timezone: string | null }>(
    sql`select timezone from organizations where id = ${organizationId}`,
  )
  const timezone = organization?.timezone ?? null
  const add = (id: string, place: Place) => places.set(id, { ...place, timezone: place.timezone ?? timezone })
  places.set(null, { propertyGroupId: null, timezone })
  for (const { value } of recordsOf(given, 'properties'))
    add(value.id, { propertyGroupId: value.propertyGroupId ?? null, timezone: value.timezone ?? null })
  const others = [...new Set(records.map(({ value }) => value.propertyId ?? null))].filter((id) => !places.has(id)) as string[]
  const stored = await trx.rows<Place & { id: string }>(sql`
    select id, property_group_id as "propertyGroupId", timezone from properties
    where organization_id = ${organizationId} and id = any(${others})`)
  for (const { id, ...place } of stored) add(id, place)
  return places
}
