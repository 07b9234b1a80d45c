import Type from 'typebox'
import { projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { DateTime, Nullable, NullableDateTime, NullableString, OneOf, Resource, Uuid } from '../../http/schema.ts'
import { contextFields, contextTexts, NullableCents } from '../time-entries/time-entry.ts'

/** docs/decisions.md, "Costs". */
export const costTypes = ['material', 'expense', 'other'] as const

/** The cost of the contract's cost day detail, and what is known of it besides. A negative total is a refund. */
export const CostItem = Resource('CostItem', {
  id: Uuid,
  memberId: Nullable(Type.String({ format: 'uuid', description: 'Null for a cost that is nobody’s in particular.' })),
  timeEntryId: Nullable(Type.String({ format: 'uuid', description: 'Null for an orphan cost.' })),
  costType: OneOf(costTypes),
  description: NullableString,
  quantity: Nullable(Type.String({ description: 'A decimal number.', examples: ['2.5'] })),
  unitCostCents: NullableCents,
  flatCostCents: NullableCents,
  totalCostCents: Type.Integer(),
  billableTotalCents: NullableCents,
  isApproved: Type.Boolean(),
  photos: Nullable(Type.Array(Type.String())),
  ...contextFields,
  incurredAt: DateTime,
  editedAt: NullableDateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** A cost item under the alias `c`. */
export const costItemRow = projection(CostItem, 'c', {
  ...contextTexts('c'),
  isApproved: sql`coalesce(c.is_approved, false)::text`,
})
