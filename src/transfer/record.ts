import Type, { type Static, type TObject, type TOptional, type TSchema } from 'typebox'
import type { Computed } from '../db/projection.ts'
import { DateTime, Nullable, Text } from '../http/schema.ts'
import type { Link } from './link.ts'

type Fields = Record<string, TSchema>

/** One file of an import or export: the records of one table. */
export type RecordFile<S extends TObject = TObject> = {
  table: string
  /** What its records are; stands in docs/import.md. */
  about: string
  schema: S
  /** The fields that tell its records apart; `id` alone unless said. */
  key?: readonly (keyof Static<S> & string)[]
  /** Fields that hold ids, and whose. A field may hold one id, several, or objects with an `id`. */
  references?: { readonly [F in keyof Static<S>]?: Target }
  /** Fields that are rows of a table of their own. */
  links?: readonly Link[]
  /**
   * Where a unique value may move from one record to another: how to give up what a row holds, and when (the row is `t`,
   * the record `g`). Done for all before the first is written.
   */
  release?: { set: string; where: string }
  /** Columns that are neither imported nor exported; an import leaves them as they are. */
  untransferred?: readonly string[]
}

/** Whose ids a field holds: those of another file's records, or the user ids of members. */
export type Target =
  | 'users'
  | 'user-groups'
  | 'departments'
  | 'property-groups'
  | 'members'
  | 'portals'
  | 'properties'
  | 'integration-accounts'
  | 'devices'
  | 'guests'
  | 'reservations'
  | 'task-templates'
  | 'task-template-groups'
  | 'tasks'
  | 'break-definitions'
  | 'time-entries'

type Settings<P extends Fields, Q extends keyof P> = {
  /** Fields that every line must have. The others may be left out: they are then their default, else null. */
  required: readonly Q[]
  defaults?: { readonly [K in keyof P]?: Static<P[K]> }
}
type RecordSchema<P extends Fields, Q extends keyof P> = TObject<
  { [K in Q]: P[K] } & { [K in Exclude<keyof P, Q>]: TOptional<P[K]> }
>

/** The schema of a record. */
export function record<P extends Fields, const Q extends keyof P & string>(
  fields: P,
  { required, defaults = {} }: Settings<P, Q>,
): RecordSchema<P, Q> {
  const given: Record<string, unknown> = defaults
  const properties = Object.entries(fields).map(([name, field]) => {
    if ((required as readonly string[]).includes(name)) return [name, field]
    return [name, Type.Optional(name in given ? { ...field, default: given[name] } : field)]
  })
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false }) as unknown as RecordSchema<P, Q>
}

type Stored<P extends Fields> = { [K in keyof P as P[K] extends Computed ? never : K]: P[K] }

/**
 * The stored fields of a resource of the API, as a record takes them. `computed` names those that are no column; texts
 * are bounded as in requests: 500 characters, and 20,000 for those named in `long`.
 */
export function fieldsOf<P extends Fields, K extends keyof Omit<P, keyof Stored<P>> & string>(
  resource: TSchema & { properties: P },
  { computed = [], long = [] }: { computed?: readonly K[]; long?: readonly (keyof P & string)[] } = {},
): Stored<P> {
  const fields = Object.entries(resource.properties)
    .filter(([name]) => !(computed as readonly string[]).includes(name))
    .map(([name, field]) => [name, bounded(field, (long as readonly string[]).includes(name))])
  return Object.fromEntries(fields) as Stored<P>
}

function bounded(field: TSchema, long: boolean): TSchema {
  const { anyOf, type, format, pattern } = field as { anyOf?: TSchema[]; type?: string; format?: string; pattern?: string }
  if (anyOf) return Nullable(bounded(anyOf[0]!, long))
  return type === 'string' && !format && !pattern ? (long ? LongText : Text()) : field
}

/** A free text. */
export const LongText = Text({ maxLength: 20_000 })
export const NullableText = Nullable(Text())
export const NullableLongText = Nullable(LongText)
export const NullableEmail = Nullable(Type.String({ format: 'email', maxLength: 500 }))
export const Url = Type.String({ format: 'uri', maxLength: 2_000 })
export const NullableUrl = Nullable(Url)
/** An IANA name that both Intl and PostgreSQL know. */
export const NullableTimeZone = Nullable(Text({ maxLength: 100, description: 'An IANA time zone.', examples: ['Europe/Madrid'] }))
/** A number written as the API answers it: a text, so that no digit is lost. */
export const NullableDecimal = Nullable(
  Type.String({ pattern: '^-?[0-9]{1,400}(\\.[0-9]{1,400})?$', maxLength: 802, description: 'A decimal number.' }),
)

const max32 = 2 ** 31 - 1
/** Whole minor units of a currency. */
export const Cents = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
export const NullableCents = Nullable(Cents)
export const Count = Type.Integer({ minimum: 0, maximum: max32 })
export const NullableCount = Nullable(Count)

/** Left out of an import, they are the time of the import, and stay what they are when the record is imported again. */
export const Stamps = { createdAt: DateTime, updatedAt: DateTime }
