import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { snakeCase } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { HttpUrl, Text, Uuid } from '../../http/schema.ts'
import { isTimeZone } from '../organization/organization.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { learnWords } from '../search/words.ts'
import { Property, propertyRow } from './property.ts'

const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const Amount = Type.Number({ minimum: 0, maximum: 1_000_000 })
const Hour = Type.Integer({ minimum: 0, maximum: 23 })
/** Degrees are written as answers write them: a text, so that no digit is lost. `below` is the pattern of whole degrees below the limit. */
const Degrees = (limit: number, below: string) =>
  Type.String({
    pattern: `^-?((${below})(\\.[0-9]{1,15})?|${limit}(\\.0{1,15})?)$`,
    patternMessage: `must be a decimal number from -${limit} to ${limit}`,
    description: `Degrees, from -${limit} to ${limit}.`,
  })

const optional = Type.Partial(
  Type.Object({
    nickname: Text(),
    propertyGroupId: Uuid,
    portalSettingsId: Uuid,
    streetAddress: Text(),
    unitNumber: Text(),
    city: Text(),
    state: Text(),
    postalCode: Text(),
    countryCode: Type.String({ pattern: '^[A-Z]{2}$', patternMessage: 'must be an ISO 3166-1 alpha-2 code' }),
    formattedAddress: Text({ maxLength: 20_000 }),
    latitude: Degrees(90, '[1-8]?[0-9]'),
    longitude: Degrees(180, '[1-9]?[0-9]|1[0-7][0-9]'),
    timezone: Text({ maxLength: 100, description: "An IANA name. Left out, the organization's zone counts." }),
    coverImageUrl: HttpUrl,
    wifiName: Text(),
    internalAccessNotes: Text({ maxLength: 20_000 }),
    codeDisplay: Text(),
    groupCodeDisplay: Text(),
    reviewRequestUrl: HttpUrl,
    reviewRequestOverrides: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_ .-]{1,100}$' }), Text({ maxLength: 2_000 }), {
      additionalProperties: false,
      maxProperties: 200,
      description: 'By booking channel, in letters, digits, space, `_`, `.` and `-`: the address to ask for a review there.',
    }),
    averageRating: Amount,
    bathroomCount: Amount,
    bedCount: Count,
    bedroomCount: Count,
    maxGuests: Count,
    defaultCheckInHour: Hour,
    defaultCheckOutHour: Hour,
    hideTimerHours: Amount,
    hasCheckInInstructionTimer: Type.Boolean(),
    isAddressHidden: Type.Boolean(),
    isBackupSwapDisabled: Type.Boolean(),
    isBookable: Type.Boolean(),
    isCodeOverrideFixed: Type.Boolean(),
    isDisabled: Type.Boolean(),
    isInspectionRequired: Type.Boolean(),
  }),
)

const NewProperty = Type.Object({ name: Text({ minLength: 1 }), ...optional.properties }, { additionalProperties: false })
type NewProperty = Static<typeof NewProperty>

export const createProperty = write({
  route: 'POST /properties',
  id: 'createProperty',
  summary: 'Create a property',
  description: `What is left out is null, and so is every status field until \`POST /properties/{id}/status\` sets it with a reason.

\`codeDisplay\`, \`groupCodeDisplay\` and \`internalAccessNotes\` are answered as null without the permission \`private_code\`.`,
  permission: 'modify_properties',
  extension: true,
  body: NewProperty,
  response: Property,
  errors: ['unknown_time_zone', 'invalid_reference'],

  async handler({ trx, actor, body, now }) {
    const id = v7()
    const [isKnownZone, [made]] = await Promise.all([
      body.timezone === undefined || isTimeZone(trx, body.timezone),
      trx.rows<{ wrong: WrongReference[] | null; property: string }>(insert(actor, id, body, now)),
    ])
    if (!isKnownZone) throw new ApiError('unknown_time_zone', { field: 'timezone' })
    refuseWrong(made!.wrong)
    const created = JSON.parse(made!.property) as Static<typeof Property>
    const changes = Object.fromEntries(
      (Object.keys(body) as (keyof NewProperty)[]).map((field) => [
        field,
        secrets.has(field) ? { changed: true } : { to: created[field] },
      ]),
    )
    learnWords(trx, actor.organizationId, created.name, created.nickname)
    trx.event({ type: 'property.created', entityType: 'property', entityId: id, changes })
    return { text: made!.property }
  },
})

/** What the audit log does not tell. */
const secrets: ReadonlySet<string> = new Set(['internalAccessNotes', 'codeDisplay', 'groupCodeDisplay'])

const columns = ['organization_id', ...Object.keys(Property.properties).map(snakeCase)]

function insert(actor: Actor, id: string, body: NewProperty, now: Date): Sql {
  const { organizationId } = actor
  const fields = Object.entries({ reviewRequestOverrides: {}, ...body, organizationId, id, createdAt: now, updatedAt: now })
  const values = JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [snakeCase(name), value])))
  return sql`
    with wrong as (${wrongReferences([
      reference('propertyGroupId', 'property_groups', organizationId, body.propertyGroupId),
      reference('portalSettingsId', 'portals', organizationId, body.portalSettingsId),
    ])}),
    made as (
      insert into properties (${raw(columns.join(', '))}) select ${raw(columns.map((column) => `n.${column}`).join(', '))}
      from jsonb_populate_record(null::properties, ${values}::jsonb) n
      where not exists (select from wrong) returning *)
    select (select json_agg(w) from wrong w) as wrong, (select ${propertyRow(actor)} from made p) as property`
}
