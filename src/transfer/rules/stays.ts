import { raw, sql } from '../../db/sql.ts'
import { placesOf } from './places-of.ts'
import { complain, type Import, recordsOf, type TypedEntry } from './rule.ts'

/**
 * Check-out is after check-in. Nights that were left out are counted by the dates where the property is: in its time zone,
 * else the organization's, else UTC. A property group that was left out is the property's.
 */
export async function checkReservations(given: Import): Promise<void> {
  const reservations = recordsOf(given, 'reservations')
  const places = await placesOf(given, reservations)
  for (const { line, value } of reservations) {
    const { checkIn, checkOut, nightCount } = value
    const place = places.get(value.propertyId ?? null)
    if (value.propertyGroupId === undefined) value.propertyGroupId = place?.propertyGroupId ?? null
    if (!checkIn || !checkOut) continue
    if (Date.parse(checkOut) <= Date.parse(checkIn))
      complain(given, 'reservations', line, 'checkOut', 'inconsistent', 'must be after checkIn')
    else if (nightCount === undefined) value.nightCount = nights(checkIn, checkOut, place?.timezone ?? 'UTC')
  }
}

const nights = (checkIn: string, checkOut: string, zone: string): number =>
  Math.round((localDay(checkOut, zone) - localDay(checkIn, zone)) / 86_400_000)

const formats = new Map<string, Intl.DateTimeFormat>()

/** Midnight UTC of the calendar day that an instant falls on in a zone. An unknown zone, reported elsewhere, counts as UTC. */
function localDay(instant: string, timeZone: string): number {
  const format = formats.get(timeZone) ?? dayFormat(timeZone)
  formats.set(timeZone, format)
  return Date.parse(format.format(new Date(instant)))
}

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  try {
    return new Intl.DateTimeFormat('en-CA', { ...options, timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-CA', { ...options, timeZone: 'UTC' })
  }
}

type Step = { id: string; scope: string; sortOrder: number }
type Scope = { taken: Map<number, number | null>; lines: number[] }

/** A step belongs to a property or to a property group, and the steps of one scope are numbered 0…n-1, stored ones included. */
export async function checkInstructions(given: Import): Promise<void> {
  const steps = recordsOf(given, 'instructions')
  if (steps.length === 0) return
  // Held to the end, so that no request renumbers a scope meanwhile. A lock for each scope, as requests take it, might be more
  // locks than PostgreSQL has room for.
  await given.trx.run(raw('lock table instructions in share row exclusive mode'))
  const scopes = new Map<string, Scope>()
  const scopeOf = (id: string) => {
    const scope: Scope = scopes.get(id) ?? { taken: new Map(), lines: [] }
    scopes.set(id, scope)
    return scope
  }
  const byId = new Map(steps.map((entry) => [entry.value.id, entry]))
  for (const { id, scope, sortOrder } of await storedSteps(given, steps)) {
    const moved = byId.get(id)
    // A step that leaves a scope, or its place in it, must leave no gap.
    if (moved) scopeOf(scope).lines.push(moved.line)
    else scopeOf(scope).taken.set(sortOrder, null)
  }
  for (const { line, value } of steps) {
    const { propertyId, propertyGroupId, sortOrder } = value
    if (!propertyId === !propertyGroupId) {
      const message = 'exactly one of propertyId and propertyGroupId must be given'
      complain(given, 'instructions', line, 'propertyId', 'inconsistent', message)
      continue
    }
    const { taken, lines } = scopeOf((propertyId ?? propertyGroupId)!)
    lines.push(line)
    if (taken.has(sortOrder)) complain(given, 'instructions', line, 'sortOrder', 'taken', takenBy(taken.get(sortOrder)!))
    else taken.set(sortOrder, line)
  }
  if (!given.batch.malformed.has('instructions')) for (const scope of scopes.values()) checkGaps(given, scope)
}

const takenBy = (line: number | null): string =>
  `is taken by ${line === null ? 'a step of the organization' : `the step on line ${line}`} in the same scope`

function checkGaps(given: Import, { taken, lines }: Scope): void {
  const places = [...taken.keys()].sort((a, b) => a - b)
  const gap = places.findIndex((place, i) => place !== i)
  if (gap < 0) return
  // The line after the gap; where that step is stored, the first line that has to do with the scope.
  const line = taken.get(places[gap]!) ?? Math.min(...lines)
  const message = `must leave no gap: no step of the scope has ${gap}, though one has ${places[gap]}`
  complain(given, 'instructions', line, 'sortOrder', 'gap', message)
}

/** The stored steps of every scope that the import has to do with. */
function storedSteps({ trx, organizationId }: Import, steps: TypedEntry<'instructions'>[]): Promise<Step[]> {
  const ids = steps.map(({ value }) => value.id)
  const scopes = [...new Set(steps.flatMap(({ value }) => [value.propertyId, value.propertyGroupId]))].filter(Boolean) as string[]
  return trx.rows<Step>(sql`
    with touched as (
      select property_id, property_group_id from instructions
      where organization_id = ${organizationId} and id = any(${ids}))
    select id, coalesce(property_id, property_group_id) as scope, sort_order as "sortOrder" from instructions
    where organization_id = ${organizationId} and (
      property_id = any(${scopes}) or property_id in (select property_id from touched)
      or property_group_id = any(${scopes}) or property_group_id in (select property_group_id from touched))`)
}
