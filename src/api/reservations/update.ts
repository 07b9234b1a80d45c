import Type, { type Static } from 'typebox'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changesBetween } from '../../http/events.ts'
import { IdParams } from '../../http/schema.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { learnWords } from '../search/words.ts'
import { Reservation, refuseNegativeGuests, reservationInput, reservationRow } from './reservation.ts'
import { asColumns, refuseUnwritable, stayRows } from './stay.ts'

const ReservationChanges = Type.Partial(Type.Object(reservationInput), { additionalProperties: false })
type ReservationChanges = Static<typeof ReservationChanges>

export const updateReservation = write({
  route: 'PATCH /reservations/{id}',
  id: 'updateReservation',
  summary: 'Update fields of a reservation',
  description: `Check-out must be after check-in. A changed \`propertyId\` takes that property's group, and a date sent with it follows the
new property's rules. \`nightCount\` follows the local dates when they or the property change. What is sent as it already is counts as
not sent; nothing to change changes nothing.`,
  permission: 'modify_reservations',
  params: IdParams,
  body: Type.Object({ data: ReservationChanges }, { additionalProperties: false }),
  response: Reservation,
  errors: ['reservation_not_found', 'invalid_reference', 'check_out_not_after_check_in', 'negative_number'],

  async handler({ trx, actor, params, body: { data }, now }) {
    refuseUnwritable(data, 'body.data')
    refuseNegativeGuests(data.guestCount)
    const [found] = await trx.rows<Found>(change(actor.organizationId, params.id, data, now))
    const { wrong, before, inOrder, after } = found!
    if (!before) throw new ApiError('reservation_not_found')
    refuseWrong(wrong)
    if (!inOrder) throw new ApiError('check_out_not_after_check_in', { field: 'checkOut' })
    if (!after) return { text: before }
    const changes = changesBetween<Reservation>(JSON.parse(before), JSON.parse(after))
    learnWords(trx, actor.organizationId, data.guestFirstName, data.guestLastName, data.confirmationCode)
    trx.event({ type: 'reservation.updated', entityType: 'reservation', entityId: JSON.parse(before).id, changes })
    return { text: after }
  },
})

/** The reservation before and after, as JSON; no `after` where nothing changed or something is amiss. */
type Found = { wrong: WrongReference[] | null; before: string | null; inOrder: boolean | null; after: string | null }

/** The columns that may change: those of the request and what follows from them. */
const columns = [
  ...['property_id', 'property_group_id', 'external_reservation_id', 'confirmation_code', 'check_in', 'check_out'],
  ...['eta_check_in', 'eta_check_out', 'guest_first_name', 'guest_last_name', 'guest_email', 'guest_phone', 'guest_count'],
  ...['night_count', 'subtotal_cents', 'source_text'],
]
const assignments = raw(columns.map((column) => `${column} = (s.made).${column}`).join(', '))

/** Locks, checks, changes and answers in one statement; one text for all requests, whatever their fields. */
function change(organizationId: string, id: string, data: ReservationChanges, now: Date): Sql {
  // Made from the locked row alone, so that of two changes at once the second builds on the first.
  const rows = sql`select b.stored, n as wanted from before b
    cross join lateral jsonb_populate_record(b.stored, ${asColumns(data)}::jsonb) n`
  return sql`
    with wrong as (${wrongReferences([reference('propertyId', 'properties', organizationId, data.propertyId)])}),
    before as (
      select r as stored from reservations r where r.organization_id = ${organizationId} and r.id = ${id} for no key update),
    stay as (${stayRows(rows, data)}),
    after as (
      update reservations r set ${assignments}, updated_at = ${now} from stay s
      where r.organization_id = ${organizationId} and r.id = (s.stored).id and s.in_order and s.made is distinct from s.stored
        and not exists (select from wrong)
      returning r.*)
    select (select json_agg(w) from wrong w) as wrong, (select s.in_order from stay s) as "inOrder",
      (select ${reservationRow} from (select (b.stored).* from before b) r) as before,
      (select ${reservationRow} from after r) as after`
}
