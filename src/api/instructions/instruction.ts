import type { Static } from 'typebox'
import Type from 'typebox'
import type { Trx } from '../../db/db.ts'
import { Computed, hidden, projection } from '../../db/projection.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { ApiError } from '../../http/errors.ts'
import {
  DateTime,
  HttpUrl,
  NullableBoolean,
  NullableNumber,
  NullableString,
  NullableUuid,
  Resource,
  Text,
  Uuid,
} from '../../http/schema.ts'
import { contextOf, fillIn, type PlaceholderContext } from './placeholders.ts'

/** Contract, section 2. Its scope is its property or its property group; `fixedCode` is null for whoever lacks view_lock_code. */
export const Instruction = Resource('GuestInstruction', {
  id: Uuid,
  propertyId: NullableUuid,
  propertyGroupId: NullableUuid,
  deviceId: NullableUuid,
  type: NullableString,
  title: NullableString,
  description: NullableString,
  codeType: NullableString,
  fixedCode: NullableString,
  imageUrl: NullableString,
  videoUrl: NullableString,
  isAccessDisplayed: NullableBoolean,
  sortOrder: NullableNumber,
  createdAt: DateTime,
  updatedAt: DateTime,
})

const Unresolved = Type.Object({ ...Instruction.properties, context: Computed(Type.Unsafe<PlaceholderContext | null>({})) })

export type Unresolved = Static<typeof Unresolved>

/** A step under the alias `i` as it is stored, with what its placeholders may name. Answer `resolved` of it, never the row itself. */
export const unresolvedRow = (actor: Actor) =>
  projection(Unresolved, 'i', {
    ...(actor.permissions.has('view_lock_code') ? {} : { fixedCode: hidden }),
    context: sql`case when i.title like '%{{%' or i.description like '%{{%' then (${contextOf(actor)}) else 'null' end`,
  })

/** The step as the contract answers it: title and description resolved. */
export function resolved({ context, ...step }: Unresolved): Static<typeof Instruction> {
  return { ...step, title: fillIn(step.title, context), description: fillIn(step.description, context) }
}

/** What a request may say of a step, beside its scope. */
export const instructionInput = {
  deviceId: Uuid,
  type: Text(),
  title: Text({ description: 'May hold placeholders.' }),
  description: Text({ maxLength: 20_000, description: 'May hold placeholders.' }),
  codeType: Text(),
  fixedCode: Text({ description: 'Needs the permission `manage_lock_code`.' }),
  imageUrl: HttpUrl,
  videoUrl: HttpUrl,
  isAccessDisplayed: Type.Boolean(),
}

/** Throws 403 when a lock code is to be written, or taken away, without manage_lock_code. */
export function refuseCode({ permissions }: Actor, fixedCode: string | null | undefined): void {
  const permission = 'manage_lock_code'
  if (fixedCode !== undefined && !permissions.has(permission)) throw new ApiError('permission_denied', { permission })
}

/** The guide that steps belong to: that of a property, or that of a property group. */
export type Scope = { field: 'propertyId' | 'propertyGroupId'; id: string }

/** The two fields of a request that name its scope, and what its schema says of them: exactly one is given. */
export const scopeInput = { propertyId: Type.Optional(Uuid), propertyGroupId: Type.Optional(Uuid) }
export const oneScope = { oneOf: [{ required: ['propertyId'] }, { required: ['propertyGroupId'] }] }

/** The scope of a request that `oneScope` let through. */
export const scopeOf = ({ propertyId, propertyGroupId }: { propertyId?: string; propertyGroupId?: string }): Scope =>
  propertyId === undefined ? { field: 'propertyGroupId', id: propertyGroupId! } : { field: 'propertyId', id: propertyId }

/** Condition on `i`, a step: that it belongs to the scope. */
export const inScope = ({ field, id }: Scope): Sql =>
  field === 'propertyId' ? sql`i.property_id = ${id}` : sql`i.property_group_id = ${id}`

/**
 * Whoever adds, moves or deletes steps holds the scope until the transaction ends: numbers 0…n-1 are only as good as the view of
 * all steps they are made from. A statement of its own, because the next then sees what the one before left behind.
 */
export const lockScope = (trx: Trx, { id }: Scope): Promise<number> =>
  trx.run(sql`select pg_advisory_xact_lock(hashtextextended(${id}::uuid::text, 0))`)

/** The same by a step of the scope; locks nothing where there is no such step. */
export const lockScopeOfStep = (trx: Trx, organizationId: string, id: string): Promise<number> =>
  trx.run(sql`select pg_advisory_xact_lock(hashtextextended(coalesce(i.property_id, i.property_group_id)::text, 0))
    from instructions i where i.organization_id = ${organizationId} and i.id = ${id}`)
