import Type from 'typebox'
import { NullableString, Resource, Uuid } from '../../http/schema.ts'

export const Portal = Resource('GuestPortal', {
  id: Uuid,
  name: NullableString,
  isDefault: Type.Boolean(),
  supportEmail: NullableString,
})
