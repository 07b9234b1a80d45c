import Type from 'typebox'
import { Portal } from '../../api/portals/portal.ts'
import { Property, type StatusField, statusValues } from '../../api/properties/property.ts'
import { PropertyGroup } from '../../api/property-groups/property-group.ts'
import { DateTime, Nullable, NullableUuid, OneOf, Text, Uuid } from '../../http/schema.ts'
import {
  fieldsOf,
  LongText,
  NullableCount,
  NullableDecimal,
  NullableEmail,
  NullableText,
  NullableTimeZone,
  NullableUrl,
  type RecordFile,
  record,
  Stamps,
} from '../record.ts'

const statusFields = Object.keys(statusValues) as StatusField[]
const NullableHour = Nullable(Type.Integer({ minimum: 0, maximum: 23 }))

export const propertyGroups = {
  table: 'property_groups',
  about: 'Groups of properties.',
  schema: record(
    { ...fieldsOf(PropertyGroup, { computed: ['propertyCount'] }), timezone: NullableTimeZone },
    { required: ['id', 'name'] },
  ),
} satisfies RecordFile

export const portals = {
  table: 'portals',
  about: 'Guest portal configurations; at most one is the default.',
  schema: record(
    { ...fieldsOf(Portal), supportEmail: NullableEmail, ...Stamps },
    { required: ['id'], defaults: { isDefault: false } },
  ),
  release: { set: 'is_default = false', where: 't.is_default and not g.is_default' },
} satisfies RecordFile

export const properties = {
  table: 'properties',
  about: 'Properties.',
  schema: record(
    {
      ...fieldsOf(Property, { long: ['formattedAddress', 'internalAccessNotes'] }),
      latitude: NullableDecimal,
      longitude: NullableDecimal,
      timezone: NullableTimeZone,
      coverImageUrl: NullableUrl,
      reviewRequestUrl: NullableUrl,
      reviewRequestOverrides: Type.Record(Type.String(), LongText, { maxProperties: 200 }),
      bedCount: NullableCount,
      bedroomCount: NullableCount,
      maxGuests: NullableCount,
      defaultCheckInHour: NullableHour,
      defaultCheckOutHour: NullableHour,
    },
    { required: ['id'], defaults: { reviewRequestOverrides: {} } },
  ),
  references: { propertyGroupId: 'property-groups', portalSettingsId: 'portals' },
} satisfies RecordFile

export const propertyStatusValues = {
  table: 'property_status_values',
  about: "The organization's own additions to the vocabularies of the four property status fields.",
  key: ['field', 'value'],
  schema: record({ field: OneOf(statusFields), value: Text({ minLength: 1 }) }, { required: ['field', 'value'] }),
} satisfies RecordFile

export const propertyStatusChanges = {
  table: 'property_status_changes',
  about: 'Every change of a property status field: what it was, what it became, why and by whom.',
  schema: record(
    {
      id: Uuid,
      propertyId: Uuid,
      field: OneOf(statusFields),
      value: NullableText,
      previousValue: NullableText,
      trigger: Text({ minLength: 1, maxLength: 200 }),
      reservationId: NullableUuid,
      memberId: NullableUuid,
      requestId: NullableText,
      createdAt: DateTime,
    },
    { required: ['id', 'propertyId', 'field', 'trigger'] },
  ),
  references: { propertyId: 'properties', reservationId: 'reservations', memberId: 'members' },
} satisfies RecordFile
