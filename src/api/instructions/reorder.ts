import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { Uuid } from '../../http/schema.ts'
import { checkReferences, reference } from '../references.ts'
import { Instruction, inScope, lockScope, oneScope, resolved, scopeInput, scopeOf, unresolvedRow } from './instruction.ts'

const NewOrder = Type.Object(
  {
    ...scopeInput,
    ids: Type.Array(Uuid, { maxItems: 200, description: 'Every step of the guide, each once, in the order it is to have.' }),
  },
  {
    additionalProperties: false,
    ...oneScope,
    examples: [{ propertyId: '0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10', ids: ['0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f11'] }],
  },
)

export const reorderInstructions = write({
  route: 'POST /instructions/reorder',
  id: 'reorderInstructions',
  summary: 'Put the steps of a property or property group in a new order',
  description: `Give exactly one of \`propertyId\` and \`propertyGroupId\`. All or nothing: a list that is not exactly the steps of that guide, because one was
added or deleted meanwhile, moves none. Answers the steps in their new order, resolved.

\`fixedCode\` is null without the permission \`view_lock_code\`.`,
  permission: 'modify_guides',
  extension: true,
  body: NewOrder,
  response: Type.Array(Instruction),
  errors: ['invalid_reference', 'instructions_mismatch'],

  async handler({ trx, actor, body, now }) {
    const { organizationId } = actor
    const scope = scopeOf(body)
    const ids = body.ids.map((id) => id.toLowerCase())
    const table = scope.field === 'propertyId' ? 'properties' : 'property_groups'
    const [, , steps] = await Promise.all([
      lockScope(trx, scope),
      checkReferences(trx, [reference(scope.field, table, organizationId, scope.id)]),
      trx.rows<{ id: string }>(sql`
        select i.id from instructions i where i.organization_id = ${organizationId} and ${inScope(scope)} order by i.sort_order`),
    ])
    const order = steps.map(({ id }) => id)
    refuseMismatch(order, ids)
    const [, answer] = await Promise.all([
      trx.run(sql`
        update instructions i set sort_order = n.place - 1, updated_at = ${now}
        from unnest(${ids}::uuid[]) with ordinality n (id, place)
        where i.organization_id = ${organizationId} and i.id = n.id and i.sort_order <> n.place - 1`),
      trx.rows<{ text: string }>(sql`
        select ${unresolvedRow(actor)} as text from instructions i
        where i.organization_id = ${organizationId} and ${inScope(scope)} order by i.sort_order`),
    ])
    if (order.some((id, place) => id !== ids[place])) {
      const entityType = scope.field === 'propertyId' ? 'property' : 'property_group'
      const changes = { instructionIds: { from: order, to: ids } }
      trx.event({ type: 'instruction.reordered', entityType, entityId: scope.id.toLowerCase(), changes })
    }
    return answer.map(({ text }) => resolved(JSON.parse(text)))
  },
})

/** Throws 422 unless `ids` are the ids of `order`, each once. */
function refuseMismatch(order: readonly string[], ids: readonly string[]): void {
  const [stored, given] = [new Set(order), new Set(ids)]
  const missing = order.filter((id) => !given.has(id))
  const unknown = [...given].filter((id) => !stored.has(id))
  const repeated = [...given].filter((id) => ids.indexOf(id) !== ids.lastIndexOf(id))
  if (missing.length + unknown.length + repeated.length > 0)
    throw new ApiError('instructions_mismatch', { field: 'ids', missing, unknown, repeated })
}
