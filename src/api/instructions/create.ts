import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { snakeCase } from '../../db/projection.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import {
  Instruction,
  inScope,
  instructionInput,
  lockScope,
  oneScope,
  refuseCode,
  resolved,
  type Scope,
  scopeInput,
  scopeOf,
  type Unresolved,
  unresolvedRow,
} from './instruction.ts'
import { placeholderRules } from './placeholders.ts'

const NewInstruction = Type.Object(
  {
    ...scopeInput,
    ...Type.Partial(
      Type.Object({
        ...instructionInput,
        sortOrder: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Its place, 0 the first; left out, the end.' }),
      }),
    ).properties,
  },
  {
    additionalProperties: false,
    ...oneScope,
    examples: [{ propertyId: '0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10', title: 'How to get in' }],
  },
)
type NewInstruction = Static<typeof NewInstruction>

export const createInstruction = write({
  route: 'POST /instructions',
  id: 'createInstruction',
  summary: 'Add a step to the guide of a property or property group',
  description: `Give exactly one of \`propertyId\` and \`propertyGroupId\`. The steps from its place on move up by one. The answer is as a read of the step:
resolved.\n\n${placeholderRules}\n\n\`fixedCode\` is answered as null without the permission \`view_lock_code\`.`,
  permission: 'modify_guides',
  extension: true,
  body: NewInstruction,
  response: Instruction,
  errors: ['permission_denied', 'invalid_reference', 'sort_order_out_of_range'],

  async handler({ trx, actor, body, now }) {
    refuseCode(actor, body.fixedCode)
    const scope = scopeOf(body)
    const id = v7()
    const [, [made]] = await Promise.all([lockScope(trx, scope), trx.rows<Made>(insert(actor, id, scope, body, now))])
    const { wrong, steps, step } = made!
    refuseWrong(wrong)
    if (!step) throw new ApiError('sort_order_out_of_range', { field: 'sortOrder', maximum: steps })
    const created = JSON.parse(step) as Unresolved
    const fields = [...(Object.keys(body) as (keyof NewInstruction)[]), 'sortOrder'] as const
    const changes = Object.fromEntries(
      fields.map((field) => [field, field === 'fixedCode' ? { changed: true } : { to: created[field] }]),
    )
    trx.event({ type: 'instruction.created', entityType: 'instruction', entityId: id, changes })
    return resolved(created)
  },
})

/** The wrong references, or the step unresolved, or neither where the guide has fewer than `sortOrder` steps. */
type Made = { wrong: WrongReference[] | null; steps: number; step: string | null }

function insert(actor: Actor, id: string, scope: Scope, body: NewInstruction, now: Date): Sql {
  const { organizationId } = actor
  const { sortOrder, ...given } = body
  const fields = Object.entries({ ...given, organizationId, id, createdAt: now, updatedAt: now })
  const columns = JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [snakeCase(name), value])))
  return sql`
    with wrong as (${wrongReferences([
      reference('propertyId', 'properties', organizationId, body.propertyId),
      reference('propertyGroupId', 'property_groups', organizationId, body.propertyGroupId),
      reference('deviceId', 'devices', organizationId, body.deviceId),
    ])}),
    place as (
      select g.steps, coalesce(${sortOrder ?? null}, g.steps) as sort_order from (
        select count(*)::int as steps from instructions i where i.organization_id = ${organizationId} and ${inScope(scope)}) g),
    moved as (
      update instructions i set sort_order = i.sort_order + 1, updated_at = ${now} from place l
      where i.organization_id = ${organizationId} and ${inScope(scope)} and i.sort_order >= l.sort_order),
    made as (
      insert into instructions select n.* from place l cross join lateral jsonb_populate_record(null::instructions,
        ${columns}::jsonb || jsonb_build_object('sort_order', l.sort_order)) n
      where l.sort_order <= l.steps and not exists (select from wrong) returning *)
    select (select json_agg(w) from wrong w) as wrong, (select l.steps from place l) as steps,
      (select ${unresolvedRow(actor)} from made i) as step`
}
