import Type, { type Static } from 'typebox'
import { projection } from '../../db/projection.ts'
import { ApiError } from '../../http/errors.ts'
import {
  DateTime,
  Nullable,
  NullableDateTime,
  NullableNumber,
  NullableString,
  NullableUuid,
  OneOf,
  Resource,
  Text,
  Uuid,
} from '../../http/schema.ts'
import { Eta, StayMoment } from './stay.ts'

/** Contract, section 2. */
export const checkInStates = ['not_checked_in', 'checked_in', 'checked_out'] as const
export const occupancyMethods = ['dashboard', 'guest_portal', 'smart_lock', 'remote_control', 'workflow_action'] as const

/** Contract, section 2. Money is in minor units of `currency`. */
export const Reservation = Resource('Reservation', {
  id: Uuid,
  propertyId: NullableUuid,
  propertyGroupId: NullableUuid,
  bookingSourceId: NullableString,
  pmsProvider: NullableString,
  externalReservationId: NullableString,
  confirmationCode: NullableString,
  codeStatus: NullableString,
  status: NullableString,
  checkIn: NullableDateTime,
  checkOut: NullableDateTime,
  checkInOverride: NullableDateTime,
  checkOutOverride: NullableDateTime,
  etaCheckIn: NullableDateTime,
  etaCheckOut: NullableDateTime,
  confirmedAt: NullableDateTime,
  checkInState: Nullable(OneOf(checkInStates)),
  occupancyMethod: Nullable(OneOf(occupancyMethods)),
  guestId: NullableUuid,
  guestFirstName: NullableString,
  guestLastName: NullableString,
  guestEmail: NullableString,
  guestPhone: NullableString,
  guestCount: NullableNumber,
  nightCount: NullableNumber,
  currency: NullableString,
  subtotalCents: NullableNumber,
  totalFeeCents: NullableNumber,
  hostPayoutCents: NullableNumber,
  paymentStatus: NullableString,
  verificationStatus: NullableString,
  verificationStatusChangedAt: NullableDateTime,
  verificationStatusChangedReason: NullableString,
  sourceText: NullableString,
  isAutoScheduleDisabled: Type.Boolean(),
  isReturning: Type.Boolean(),
  portalLoadCount: Type.Number(),
  createdAt: DateTime,
  updatedAt: DateTime,
})

export type Reservation = Static<typeof Reservation>

/** A reservation under the alias `r`. */
export const reservationRow = projection(Reservation, 'r')

/** Whole minor units of a currency. */
export const Cents = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

/** What a request may say of a reservation (contract, section 4, PATCH /reservations/{id}). */
export const reservationInput = {
  checkIn: StayMoment('checkIn'),
  checkOut: StayMoment('checkOut'),
  confirmationCode: Text(),
  etaCheckIn: Eta,
  etaCheckOut: Eta,
  externalReservationId: Text(),
  guestCount: Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, description: 'Not negative.' }),
  guestEmail: Nullable(Type.String({ format: 'email', maxLength: 500, description: 'Null takes it away.' })),
  guestFirstName: Text(),
  guestLastName: Text(),
  guestPhone: Text(),
  propertyId: Uuid,
  sourceText: Text({ maxLength: 20_000 }),
  subtotalCents: Cents,
}

/** Throws 422 for fewer than no guests: a rule of the business, as the contract declares no bound (docs/decisions.md). */
export function refuseNegativeGuests(guestCount: number | undefined): void {
  if (guestCount !== undefined && guestCount < 0) throw new ApiError('negative_number', { field: 'guestCount' })
}
