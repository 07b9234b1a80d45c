import type { TSchema } from 'typebox'

type Schema = {
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  examples?: unknown[]
  default?: unknown
}

/** An example value of a schema, for the OpenAPI document: its own `examples`, or what fields of that name usually hold. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  return example(schema as Schema, name)
}

function example(schema: Schema, name: string): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return example(schema.anyOf[0]!, name)
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([key, field]) => [key, example(field, key)]))
  if (schema.patternProperties) return {}
  if (schema.type === 'array') return [example(schema.items!, name)]
  if (schema.type === 'boolean') return name === 'online' || name === 'isActive'
  if (schema.type === 'integer' || schema.type === 'number') return numbers[name] ?? (name.endsWith('Cents') ? 12_500 : 1)
  if (schema.format === 'uuid') return '0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'
  if (schema.format === 'date-time') return '2026-06-01T14:30:00.000Z'
  if (schema.format === 'date') return '2026-06-01'
  if (schema.format === 'uri') return 'https://images.example/front-door.jpg'
  if (schema.type === 'string') return texts[name] ?? 'text'
  return name === 'deviceState' ? { lock: { state: 'locked' }, observedAt: '2026-06-01T14:30:00.000Z' } : null
}

const numbers: Record<string, number> = {
  batteryLevel: 84,
  averageRating: 4.8,
  bathroomCount: 1.5,
  defaultCheckInHour: 15,
  defaultCheckOutHour: 11,
  durationMinutes: 95,
  estTime: 45,
  guestCount: 2,
  maxGuests: 4,
  nightCount: 3,
  rank: 0,
  sortOrder: 0,
}

const texts: Record<string, string> = {
  avatarUrl: 'https://images.example/ines.jpg',
  city: 'Lisboa',
  cleaningStatus: 'clean',
  color: '#2f7d6b',
  confirmationCode: 'HMABCD1234',
  countryCode: 'PT',
  currency: 'EUR',
  description: 'Bring fresh linen from the store room.',
  descriptionText: 'Bring fresh linen from the store room.',
  email: 'ines@casa-aurora.example',
  estTime: '45',
  firstName: 'Inês',
  formattedAddress: 'Rua da Saudade 12, 1100-583 Lisboa, Portugal',
  guestEmail: 'marta.keller@mail.example',
  guestFirstName: 'Marta',
  guestLastName: 'Keller',
  guestPhone: '+41 44 555 01 20',
  inspectionStatus: 'passed',
  language: 'en',
  lastName: 'Carvalho',
  latitude: '38.7117',
  longitude: '-9.1316',
  maintenanceStatus: 'normal',
  managerNames: 'Inês Carvalho',
  name: 'Aurora',
  nameText: 'Turnover clean',
  nickname: 'Aurora 2',
  postalCode: '1100-583',
  propertyName: 'Aurora 2',
  query: 'aurora',
  readinessStatus: 'ready',
  region: 'local',
  slug: 'casa-aurora',
  streetAddress: 'Rua da Saudade 12',
  supportEmail: 'hello@casa-aurora.example',
  taskTitle: 'Turnover clean',
  timezone: 'Europe/Lisbon',
  title: 'How to get in',
  titleText: 'Bathroom',
}
