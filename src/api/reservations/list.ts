import Type from 'typebox'
import { and, containsFolded, oneOf, oneOfIds, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Ids, Instant, List, Paging, Text, Texts } from '../../http/schema.ts'
import { checkInStates, Reservation, reservationRow } from './reservation.ts'

export const listReservations = read({
  route: 'GET /reservations',
  id: 'listReservations',
  summary: 'List the reservations of the organization',
  description: 'Arrivals and departures are compared by `checkIn` and `checkOut`; overrides and etas do not count.',
  permission: 'view_reservations',
  extension: true,
  query: Type.Object({
    checkInBefore: Instant('Check-in before this instant.'),
    checkInFrom: Instant('Check-in at this instant or later.'),
    checkInStates: AnyOf(checkInStates, 'Reservations in one of these check-in states.'),
    checkOutBefore: Instant('Check-out before this instant.'),
    checkOutFrom: Instant('Check-out at this instant or later.'),
    confirmationCode: Type.Optional(Text({ description: 'Exactly this confirmation code.' })),
    externalReservationId: Type.Optional(Text({ description: 'Exactly this id in the booking system.' })),
    guestContains: Type.Optional(Text({ description: "Part of the guest's name or e-mail, whatever the case and accents." })),
    ids: Ids('These reservations.'),
    propertyGroupIds: Ids('Reservations of one of these property groups.'),
    propertyIds: Ids('Reservations of one of these properties.'),
    statuses: Texts('Reservations whose status is one of these.'),
    stayingAt: Instant('Checked in at this instant or before, and checking out after it.'),
    ...Paging,
  }),
  response: List(Reservation),

  handler: ({ db, actor, query }) =>
    db.page({
      row: reservationRow,
      as: 'r',
      from: sql`reservations r where ${and(
        sql`r.organization_id = ${actor.organizationId}`,
        query.checkInBefore && sql`r.check_in < ${query.checkInBefore}`,
        query.checkInFrom && sql`r.check_in >= ${query.checkInFrom}`,
        query.checkInStates && oneOf('r.check_in_state', query.checkInStates),
        query.checkOutBefore && sql`r.check_out < ${query.checkOutBefore}`,
        query.checkOutFrom && sql`r.check_out >= ${query.checkOutFrom}`,
        query.confirmationCode !== undefined && sql`r.confirmation_code = ${query.confirmationCode}`,
        query.externalReservationId !== undefined && sql`r.external_reservation_id = ${query.externalReservationId}`,
        containsFolded(guest, query.guestContains),
        query.ids && oneOfIds('r.id', query.ids),
        query.propertyGroupIds && oneOfIds('r.property_group_id', query.propertyGroupIds),
        query.propertyIds && oneOfIds('r.property_id', query.propertyIds),
        query.statuses && oneOf('r.status', query.statuses),
        query.stayingAt && sql`r.check_in <= ${query.stayingAt} and r.check_out > ${query.stayingAt}`,
      )}`,
      order: sql`r.created_at, r.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})

const guest = `fold(coalesce(r.guest_first_name, '') || ' ' || coalesce(r.guest_last_name, '') || ' ' || coalesce(r.guest_email, ''))`
