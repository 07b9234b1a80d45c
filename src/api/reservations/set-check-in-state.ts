import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changesBetween } from '../../http/events.ts'
import { IdParams, OneOf } from '../../http/schema.ts'
import { checkInStates, occupancyMethods, Reservation, reservationRow } from './reservation.ts'

export const setCheckInState = write({
  route: 'POST /reservations/{id}/check-in-state',
  id: 'setCheckInState',
  summary: 'Say whether the guest has come or gone, and how this is known',
  description: 'Any state may follow any other. Setting the state that it has changes nothing but `occupancyMethod`.',
  permission: 'modify_reservations',
  params: IdParams,
  body: Type.Object(
    { checkInState: OneOf(checkInStates), occupancyMethod: OneOf(occupancyMethods) },
    { additionalProperties: false },
  ),
  response: Reservation,
  errors: ['reservation_not_found'],

  async handler({ trx, actor, params, body, now }) {
    const [found] = await trx.rows<{ before: string | null; after: string | null }>(sql`
      with before as (
        select * from reservations r where r.organization_id = ${actor.organizationId} and r.id = ${params.id} for no key update),
      after as (
        update reservations r set check_in_state = ${body.checkInState}, occupancy_method = ${body.occupancyMethod},
          updated_at = ${now}
        from before b
        where r.organization_id = ${actor.organizationId} and r.id = b.id
          and (b.check_in_state, b.occupancy_method) is distinct from (${body.checkInState}, ${body.occupancyMethod})
        returning r.*)
      select (select ${reservationRow} from before r) as before, (select ${reservationRow} from after r) as after`)
    const { before, after } = found!
    if (!before) throw new ApiError('reservation_not_found')
    if (!after) return { text: before }
    const changes = changesBetween<Reservation>(JSON.parse(before), JSON.parse(after))
    const type = changes.checkInState ? 'reservation.check_in_state_changed' : 'reservation.updated'
    trx.event({ type, entityType: 'reservation', entityId: JSON.parse(before).id, changes })
    return { text: after }
  },
})
