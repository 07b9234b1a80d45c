import Type from 'typebox'
import { Instruction } from '../../api/instructions/instruction.ts'
import { Reservation } from '../../api/reservations/reservation.ts'
import { Nullable, Uuid } from '../../http/schema.ts'
import {
  Count,
  fieldsOf,
  NullableCents,
  NullableCount,
  NullableEmail,
  NullableText,
  NullableUrl,
  type RecordFile,
  record,
  Stamps,
} from '../record.ts'

export const guests = {
  table: 'guests',
  about: 'Guests across their stays.',
  schema: record(
    {
      id: Uuid,
      firstName: NullableText,
      lastName: NullableText,
      email: NullableEmail,
      phone: NullableText,
      ...Stamps,
    },
    { required: ['id'] },
  ),
} satisfies RecordFile

export const reservations = {
  table: 'reservations',
  about: 'Reservations. Guest name, e-mail and phone are the reservation’s own; `guestId` only links.',
  schema: record(
    {
      ...fieldsOf(Reservation, { long: ['verificationStatusChangedReason', 'sourceText'] }),
      guestEmail: NullableEmail,
      guestCount: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      nightCount: NullableCount,
      subtotalCents: NullableCents,
      totalFeeCents: NullableCents,
      hostPayoutCents: NullableCents,
      portalLoadCount: Count,
    },
    { required: ['id'], defaults: { isAutoScheduleDisabled: false, isReturning: false, portalLoadCount: 0 } },
  ),
  references: { propertyId: 'properties', propertyGroupId: 'property-groups', guestId: 'guests' },
} satisfies RecordFile

export const instructions = {
  table: 'instructions',
  about: 'Guest instruction steps of a property or of a property group; those of one scope are numbered 0…n-1.',
  schema: record(
    { ...fieldsOf(Instruction, { long: ['description'] }), imageUrl: NullableUrl, videoUrl: NullableUrl, sortOrder: Count },
    { required: ['id', 'sortOrder'] },
  ),
  references: { propertyId: 'properties', propertyGroupId: 'property-groups', deviceId: 'devices' },
} satisfies RecordFile
