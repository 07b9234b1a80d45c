import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Reservation, reservationRow } from './reservation.ts'

export const getReservation = read({
  route: 'GET /reservations/{id}',
  id: 'getReservation',
  summary: 'Read one reservation',
  permission: 'view_reservations',
  extension: true,
  params: IdParams,
  response: Reservation,
  errors: ['reservation_not_found'],

  async handler({ db, actor, params }) {
    const reservation = await db.one({
      row: reservationRow,
      from: sql`reservations r where r.organization_id = ${actor.organizationId} and r.id = ${params.id}`,
    })
    if (!reservation) throw new ApiError('reservation_not_found')
    return reservation
  },
})
