import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { snakeCase } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { OneOf, Text, Uuid } from '../../http/schema.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { learnWords } from '../search/words.ts'
import {
  Cents,
  checkInStates,
  occupancyMethods,
  Reservation,
  refuseNegativeGuests,
  reservationInput,
  reservationRow,
} from './reservation.ts'
import { asColumns, refuseUnwritable, stayRows } from './stay.ts'

const { checkIn, checkOut, ...optional } = reservationInput

const NewReservation = Type.Object(
  {
    checkIn,
    checkOut,
    ...Type.Partial(
      Type.Object({
        ...optional,
        bookingSourceId: Text(),
        checkInState: OneOf(checkInStates, { default: 'not_checked_in' }),
        currency: Type.String({ pattern: '^[A-Z]{3}$', patternMessage: 'must be an ISO 4217 code', examples: ['EUR'] }),
        guestId: Uuid,
        hostPayoutCents: Cents,
        isAutoScheduleDisabled: Type.Boolean({ default: false }),
        isReturning: Type.Boolean({ default: false }),
        occupancyMethod: OneOf(occupancyMethods),
        paymentStatus: Text(),
        pmsProvider: Text(),
        propertyGroupId: Type.String({ format: 'uuid', description: "With `propertyId` it must be that property's group." }),
        status: Text(),
        totalFeeCents: Cents,
      }),
    ).properties,
  },
  { additionalProperties: false },
)
type NewReservation = Static<typeof NewReservation>

export const createReservation = write({
  route: 'POST /reservations',
  id: 'createReservation',
  summary: 'Create a reservation',
  description: `Check-out must be after check-in. \`nightCount\` follows the local dates. The group is the property's; a reservation
without a property may name a group of its own. Stays may overlap. What is left out is null.`,
  permission: 'modify_reservations',
  extension: true,
  body: NewReservation,
  response: Reservation,
  errors: ['invalid_reference', 'property_group_mismatch', 'check_out_not_after_check_in', 'negative_number'],

  async handler({ trx, actor, body, now }) {
    refuseUnwritable(body, 'body')
    refuseNegativeGuests(body.guestCount)
    const id = v7()
    const [made] = await trx.rows<Made>(insert(actor.organizationId, id, body, now))
    const { wrong, reservation } = made!
    refuseWrong(wrong)
    if (!reservation) throw new ApiError('check_out_not_after_check_in', { field: 'checkOut' })
    const created = JSON.parse(reservation) as Reservation
    if (body.propertyGroupId && created.propertyGroupId !== body.propertyGroupId.toLowerCase())
      throw new ApiError('property_group_mismatch', { field: 'propertyGroupId', propertyGroupId: created.propertyGroupId })
    const changes = Object.fromEntries(
      (Object.keys(body) as (keyof NewReservation)[]).map((field) => [field, { to: created[field] }]),
    )
    learnWords(trx, actor.organizationId, created.guestFirstName, created.guestLastName, created.confirmationCode)
    trx.event({ type: 'reservation.created', entityType: 'reservation', entityId: id, changes })
    return { text: reservation }
  },
})

/** The wrong references, or the reservation as JSON, or neither where it would leave before it arrives. */
type Made = { wrong: WrongReference[] | null; reservation: string | null }

const columns = ['organization_id', ...Object.keys(Reservation.properties).map(snakeCase)]

function insert(organizationId: string, id: string, body: NewReservation, now: Date): Sql {
  const fields = asColumns({
    checkInState: 'not_checked_in',
    isAutoScheduleDisabled: false,
    isReturning: false,
    ...body,
    organizationId,
    id,
    portalLoadCount: 0,
    createdAt: now,
    updatedAt: now,
  })
  const rows = sql`select null::reservations as stored, n as wanted from jsonb_populate_record(null::reservations, ${fields}::jsonb) n`
  return sql`
    with wrong as (${wrongReferences([
      reference('propertyId', 'properties', organizationId, body.propertyId),
      reference('propertyGroupId', 'property_groups', organizationId, body.propertyGroupId),
      reference('guestId', 'guests', organizationId, body.guestId),
    ])}),
    stay as (${stayRows(rows, body)}),
    made as (
      insert into reservations (${raw(columns.join(', '))}) select ${raw(columns.map((column) => `(s.made).${column}`).join(', '))}
      from stay s where s.in_order and not exists (select from wrong) returning *)
    select (select json_agg(w) from wrong w) as wrong, (select ${reservationRow} from made r) as reservation`
}
