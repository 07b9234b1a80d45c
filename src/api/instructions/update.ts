import Type, { type Static } from 'typebox'
import { snakeCase } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changesBetween } from '../../http/events.ts'
import { IdParams, Nullable } from '../../http/schema.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import {
  Instruction,
  instructionInput,
  lockScopeOfStep,
  refuseCode,
  resolved,
  type Unresolved,
  unresolvedRow,
} from './instruction.ts'
import { placeholderRules } from './placeholders.ts'

const { deviceId, type, title, description, codeType, fixedCode, imageUrl, videoUrl, isAccessDisplayed } = instructionInput

/** What may be taken away again is null then. */
const InstructionChanges = Type.Partial(
  Type.Object({
    deviceId: Nullable(deviceId),
    type: Nullable(type),
    title: Nullable(title),
    description: Nullable(description),
    codeType: Nullable(codeType),
    fixedCode: Nullable(fixedCode),
    imageUrl: Nullable(imageUrl),
    videoUrl: Nullable(videoUrl),
    isAccessDisplayed: Nullable(isAccessDisplayed),
    sortOrder: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Its new place; the steps between move by one.' }),
  }),
  { additionalProperties: false },
)
type InstructionChanges = Static<typeof InstructionChanges>

export const updateInstruction = write({
  route: 'PATCH /instructions/{id}',
  id: 'updateInstruction',
  summary: 'Update fields of a guest instruction step, or move it within its guide',
  description: `A step stays in its property or property group. What is sent as it already is counts as not sent; nothing to change
changes nothing. The answer is as a read of the step: resolved.\n\n${placeholderRules}

\`fixedCode\` is answered as null without the permission \`view_lock_code\`.`,
  permission: 'modify_guides',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: InstructionChanges }, { additionalProperties: false }),
  response: Instruction,
  errors: ['permission_denied', 'instruction_not_found', 'invalid_reference', 'sort_order_out_of_range'],

  async handler({ trx, actor, params, body: { data }, now }) {
    refuseCode(actor, data.fixedCode)
    const [, [found]] = await Promise.all([
      lockScopeOfStep(trx, actor.organizationId, params.id),
      trx.rows<Found>(change(actor, params.id, data, now)),
    ])
    const { wrong, steps, before, after, codeChanged } = found!
    if (!before) throw new ApiError('instruction_not_found')
    refuseWrong(wrong)
    if (data.sortOrder !== undefined && data.sortOrder >= steps!)
      throw new ApiError('sort_order_out_of_range', { field: 'sortOrder', maximum: steps! - 1 })
    const step = JSON.parse(after ?? before) as Unresolved
    if (after) {
      const changes = {
        ...changesBetween<Unresolved>(JSON.parse(before), step, told),
        ...(codeChanged ? { fixedCode: { changed: true } } : {}),
      }
      trx.event({ type: 'instruction.updated', entityType: 'instruction', entityId: step.id, changes })
    }
    return resolved(step)
  },
})

/** The step unresolved, before and after; no `after` where nothing changed or something is amiss. */
type Found = {
  wrong: WrongReference[] | null
  steps: number | null
  before: string | null
  after: string | null
  codeChanged: boolean | null
}

/** The code is told apart: an event says that it changed, not what it is. */
const told = (Object.keys(InstructionChanges.properties) as (keyof InstructionChanges)[]).filter((field) => field !== 'fixedCode')

const columns = Object.keys(InstructionChanges.properties).map(snakeCase)
const assignments = raw(columns.map((column) => `${column} = (b.wanted).${column}`).join(', '))

/** Checks, changes and answers in one statement; one text for all requests, whatever their fields. The scope is locked. */
function change(actor: Actor, id: string, data: InstructionChanges, now: Date): Sql {
  const { organizationId } = actor
  const given = JSON.stringify(Object.fromEntries(Object.entries(data).map(([name, value]) => [snakeCase(name), value])))
  return sql`
    with wrong as (${wrongReferences([reference('deviceId', 'devices', organizationId, data.deviceId)])}),
    before as (
      select i as stored, n as wanted, n is distinct from i as differs,
        (select count(*)::int from instructions c where c.organization_id = i.organization_id
          and (c.property_id = i.property_id or c.property_group_id = i.property_group_id)) as steps
      from instructions i cross join lateral jsonb_populate_record(i, ${given}::jsonb) n
      where i.organization_id = ${organizationId} and i.id = ${id}),
    moved as (
      update instructions i set updated_at = ${now},
        sort_order = i.sort_order + case when (b.wanted).sort_order < (b.stored).sort_order then 1 else -1 end
      from before b
      where i.organization_id = ${organizationId} and i.id <> (b.stored).id
        and (i.property_id = (b.stored).property_id or i.property_group_id = (b.stored).property_group_id)
        and (b.wanted).sort_order <> (b.stored).sort_order
        and i.sort_order between least((b.wanted).sort_order, (b.stored).sort_order)
          and greatest((b.wanted).sort_order, (b.stored).sort_order)),
    after as (
      update instructions i set ${assignments}, updated_at = ${now} from before b
      where i.organization_id = ${organizationId} and i.id = (b.stored).id and b.differs and (b.wanted).sort_order < b.steps
        and not exists (select from wrong)
      returning i.*)
    select (select json_agg(w) from wrong w) as wrong, (select b.steps from before b) as steps,
      (select (b.wanted).fixed_code is distinct from (b.stored).fixed_code from before b) as "codeChanged",
      (select ${unresolvedRow(actor)} from (select (b.stored).* from before b) i) as before,
      (select ${unresolvedRow(actor)} from after i) as after`
}
