import Type from 'typebox'
import { hidden, projection } from '../../db/projection.ts'
import type { Sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { DateTime, NullableBoolean, NullableNumber, NullableString, NullableUuid, Resource, Uuid } from '../../http/schema.ts'

/** Contract, section 2. `internalAccessNotes`, `codeDisplay` and `groupCodeDisplay` are null for whoever lacks private_code. */
export const Property = Resource('Property', {
  id: Uuid,
  name: NullableString,
  nickname: NullableString,
  propertyGroupId: NullableUuid,
  portalSettingsId: NullableUuid,
  streetAddress: NullableString,
  unitNumber: NullableString,
  city: NullableString,
  state: NullableString,
  postalCode: NullableString,
  countryCode: NullableString,
  formattedAddress: NullableString,
  latitude: NullableString,
  longitude: NullableString,
  timezone: NullableString,
  coverImageUrl: NullableString,
  wifiName: NullableString,
  internalAccessNotes: NullableString,
  codeDisplay: NullableString,
  groupCodeDisplay: NullableString,
  reviewRequestUrl: NullableString,
  reviewRequestOverrides: Type.Record(Type.String(), Type.String()),
  averageRating: NullableNumber,
  bathroomCount: NullableNumber,
  bedCount: NullableNumber,
  bedroomCount: NullableNumber,
  maxGuests: NullableNumber,
  defaultCheckInHour: NullableNumber,
  defaultCheckOutHour: NullableNumber,
  hideTimerHours: NullableNumber,
  readinessStatus: NullableString,
  cleaningStatus: NullableString,
  inspectionStatus: NullableString,
  maintenanceStatus: NullableString,
  hasCheckInInstructionTimer: NullableBoolean,
  isAddressHidden: NullableBoolean,
  isBackupSwapDisabled: NullableBoolean,
  isBookable: NullableBoolean,
  isCodeOverrideFixed: NullableBoolean,
  isDisabled: NullableBoolean,
  isInspectionRequired: NullableBoolean,
  createdAt: DateTime,
  updatedAt: DateTime,
})

const secrets: Partial<Record<keyof typeof Property.properties, Sql>> = {
  internalAccessNotes: hidden,
  codeDisplay: hidden,
  groupCodeDisplay: hidden,
}
const withSecrets = projection(Property, 'p')
const withoutSecrets = projection(Property, 'p', secrets)

/** A property under the alias `p`, as this caller may see it. */
export const propertyRow = ({ permissions }: Actor) => (permissions.has('private_code') ? withSecrets : withoutSecrets)

/** What a property's four status fields may say (docs/decisions.md); an organization may add values of its own. */
export const statusValues = {
  readiness: ['ready', 'not_ready', 'occupied', 'unknown'],
  cleaning: ['clean', 'dirty', 'in_progress', 'needs_cleaning', 'not_required'],
  inspection: ['inspected', 'passed', 'required', 'pending', 'in_progress', 'failed', 'waived', 'not_required'],
  maintenance: ['normal', 'ok', 'required', 'attention_needed', 'in_progress', 'blocked'],
} as const
export type StatusField = keyof typeof statusValues
