import Type, { type TSchema } from 'typebox'
import Format from 'typebox/format'
import { isUuid } from '../db/sql.ts'

// The formats of the contract, stricter than JSON Schema's own: no urn:uuid:, no impossible day, no leap second, no year 0.
Format.Set('uuid', isUuid)
Format.Set('date', isDate)
Format.Set('date-time', isDateTime)
Format.Set('uri', (text) => /^https?:\/\//i.test(text) && URL.canParse(text))
Format.Set('email', (text) => /^[^\s@]+@[^\s@]+$/.test(text))

/** A calendar day that exists, year 0001 to 9999. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year === 0 || month === 0 || month > 12 || day === 0) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!
}

/** An ISO 8601 date-time with an offset or Z; seconds and fraction may be left out. */
export function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):(\d{2}))$/.exec(text)
  if (!match || !isDate(match[1]!)) return false
  const [hour, minute, second, offsetHour, offsetMinute] = match.slice(2).map((part) => Number(part ?? 0))
  return hour! < 24 && minute! < 60 && second! < 60 && offsetHour! < 15 && offsetMinute! < 60
}

/** A date-time as it is stored and answered: UTC, whole milliseconds. Cut off, never rounded up into the next day. */
export const asInstant = (dateTime: string): string => new Date(dateTime).toISOString()

/** Characters PostgreSQL and JSON can hold: no NUL and no lone surrogate. The pattern says it to clients, `cleanText` checks it. */
const clean = '^[^\\u0000]*$'

/** A text in a request. Sizes: names, titles and codes 500, free texts 20,000 (docs/decisions.md). */
export const Text = (options: { minLength?: number; maxLength?: number; description?: string; examples?: string[] } = {}) =>
  Type.String({ maxLength: 500, pattern: clean, ...options })

export const Uuid = Type.String({ format: 'uuid' })
export const DateTime = Type.String({ format: 'date-time' })
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
export const NullableString = Nullable(Type.String())
export const NullableUuid = Nullable(Uuid)
export const NullableDateTime = Nullable(DateTime)
export const NullableNumber = Nullable(Type.Number())
export const NullableBoolean = Nullable(Type.Boolean())

/** An address in a request that pages show or open: http or https only. */
export const HttpUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 2_000,
  description: 'An http or https URL.',
  examples: ['https://images.example/front-door.jpg'],
})

/** A resource of the API: every field is always present. `$id` names its OpenAPI component. */
export const Resource = <P extends Record<string, TSchema>>(name: string, fields: P, description?: string) =>
  Type.Object(fields, { $id: name, ...(description ? { description } : {}) })

declare const listMark: unique symbol
/** The answer of a list operation: an array of the resource, with `meta.pagination`. */
export type List<S extends TSchema = TSchema> = ReturnType<typeof Type.Array<S>> & { readonly [listMark]: true }
export const List = <S extends TSchema>(item: S): List<S> => Type.Array(item, { 'x-list': true }) as unknown as List<S>

/** `{id}` of a path that takes a uuid. */
export const IdParams = Type.Object({ id: Uuid })

/** The body of an operation that takes none: `{}`, nothing, or nothing with a JSON content type. */
export const EmptyBody = Type.Object({}, { additionalProperties: false })

export const Success = Resource('Success', { success: Type.Boolean() })

export const maxOffset = Number.MAX_SAFE_INTEGER

/** Contract, section 8. A field with a default may be left out of the request. */
export const Paging = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Page size.' }),
  offset: Type.Integer({ minimum: 0, maximum: maxOffset, default: 0, description: 'Items to skip.' }),
}
export type Paging = { limit: number; offset: number }

/** A filter that takes any string; one that is no UUID matches nothing. */
export const Ids = (description: string, maxItems = 200) =>
  Type.Optional(Type.Array(Text({ maxLength: 100 }), { maxItems, description }))

/** An instant in a request: an ISO 8601 date-time with `Z` or an offset that exists on Earth; seconds may be left out. */
export const OffsetDateTime = (options: { description?: string } = {}) =>
  Type.String({
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])$',
    patternMessage: 'must be a date-time with Z or an offset up to 14:59',
    ...options,
  })

/** A filter by an instant. */
export const Instant = (description: string) => Type.Optional(OffsetDateTime({ description }))

/** A filter by any of several texts. */
export const Texts = (description: string) => Type.Optional(Type.Array(Text(), { maxItems: 200, description }))

/** A closed set of values. */
export const OneOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ enum: [...values], ...options })

/** A filter by any of a closed set of values. */
export const AnyOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Optional(Type.Array(OneOf(values), { maxItems: 200, description }))
