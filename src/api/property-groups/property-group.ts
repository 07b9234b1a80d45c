import Type from 'typebox'
import { Computed, projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { DateTime, NullableString, Resource, Uuid } from '../../http/schema.ts'

export const PropertyGroup = Resource('PropertyGroup', {
  id: Uuid,
  name: Type.String(),
  timezone: NullableString,
  propertyCount: Computed(Type.Integer({ description: 'How many properties belong to the group.' })),
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** A property group under the alias `g`. */
export const propertyGroupRow = projection(PropertyGroup, 'g', {
  propertyCount: sql`select count(*)::text from properties p
    where p.organization_id = g.organization_id and p.property_group_id = g.id`,
})
