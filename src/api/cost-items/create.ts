import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { type Sql, sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { asInstant, HttpUrl, Instant, OneOf, Text, Uuid } from '../../http/schema.ts'
import { forgetKept } from '../costs/kept.ts'
import { memberNamed, memberReference } from '../members/member.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { contextInput, contextReferences, refuseImpossibleTimes } from '../time-entries/time-entry.ts'
import { CostItem, costItemRow, costTypes } from './cost-item.ts'

const maxCents = 1_000_000_000
const Cents = (description: string) => Type.Optional(Type.Integer({ minimum: -maxCents, maximum: maxCents, description }))

const NewCostItem = Type.Object(
  {
    costType: OneOf(costTypes),
    ...Type.Partial(
      Type.Object({
        memberId: { ...Uuid, description: 'A member id or a user id; of the time entry where left out, else nobody.' },
        timeEntryId: { ...Uuid, description: 'The work it was part of.' },
        description: Text({ maxLength: 20_000 }),
        quantity: Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }),
        photos: Type.Array(HttpUrl, { maxItems: 200 }),
        ...contextInput,
      }),
    ).properties,
    unitCostCents: Cents('Of one; negative for a refund.'),
    flatCostCents: Cents('Of all in one; negative for a refund.'),
    totalCostCents: Cents('Worked out from the others where left out; wins over them where given.'),
    billableTotalCents: Cents('What is billed for it.'),
    incurredAt: Instant('The start of the time entry where left out, else now.'),
  },
  { additionalProperties: false },
)
type NewCostItem = Static<typeof NewCostItem>

export const createCostItem = write({
  route: 'POST /cost-items',
  id: 'createCostItem',
  summary: 'Record material, an expense or another cost',
  description: `The total is \`totalCostCents\` if given, else \`quantity\` × \`unitCostCents\` rounded to the cent, else \`flatCostCents\`. Task,
department and property are those of the time entry, or of the task, where not given. The item waits for approval.`,
  permission: 'modify_tasks',
  extension: true,
  body: NewCostItem,
  response: CostItem,
  errors: ['invalid_reference', 'amount_unclear', 'impossible_time', 'time_entry_of_another_member'],

  async handler({ trx, actor, body, now }) {
    if (body.incurredAt) refuseImpossibleTimes(now, { incurredAt: body.incurredAt })
    const id = v7()
    const [made] = await trx.rows<Made>(insertItem(id, actor.organizationId, body, now))
    refuseWrong(made!.wrong)
    if (!made!.text) throw new ApiError('time_entry_of_another_member', { field: 'memberId' })
    forgetKept(trx, actor.organizationId, [made!.incurredAt!])
    const given = { ...body, ...(made!.memberId ? { memberId: made!.memberId } : {}) }
    const changes = Object.fromEntries(Object.entries(given).map(([field, to]) => [field, { to }]))
    trx.event({ type: 'cost_item.created', entityType: 'cost_item', entityId: id, changes })
    return { text: made!.text }
  },
})

type Made = { wrong: WrongReference[] | null; text: string | null; memberId: string | null; incurredAt: string | null }

/** SQL of the total. Throws 422 where nothing, or more than one thing, could be meant. */
function totalOf({ totalCostCents, quantity, unitCostCents, flatCostCents }: NewCostItem): Sql {
  if (totalCostCents !== undefined) return sql`${totalCostCents}::bigint`
  if (flatCostCents !== undefined && unitCostCents === undefined) return sql`${flatCostCents}::bigint`
  if (flatCostCents === undefined && unitCostCents !== undefined && quantity !== undefined)
    return sql`round(${quantity}::numeric * ${unitCostCents})::bigint`
  throw new ApiError('amount_unclear')
}

/** Inserts the item unless a reference is wrong or the time entry is another member's, and answers it. */
function insertItem(id: string, organizationId: string, body: NewCostItem, now: Date): Sql {
  const member = body.memberId ? memberNamed(organizationId, body.memberId) : sql`select null::uuid as id`
  return sql`
    with wrong as (${wrongReferences([
      memberReference('memberId', organizationId, body.memberId),
      reference('timeEntryId', 'time_entries', organizationId, body.timeEntryId),
      ...contextReferences(organizationId, body),
    ])}),
    made as (
      insert into cost_items as c (organization_id, id, member_id, time_entry_id, cost_type, description, quantity,
        unit_cost_cents, flat_cost_cents, total_cost_cents, billable_total_cents, photos, department_id, property_id, task_id,
        incurred_at, created_at, updated_at)
      select ${organizationId}, ${id}, coalesce(m.id, e.member_id), e.id, ${body.costType}, ${body.description ?? null},
        ${body.quantity ?? null}, ${body.unitCostCents ?? null}, ${body.flatCostCents ?? null}, ${totalOf(body)},
        ${body.billableTotalCents ?? null}, ${body.photos ?? null}, coalesce(${body.departmentId ?? null}, e.department_id, t.department_id),
        coalesce(${body.propertyId ?? null}, e.property_id, t.property_id), coalesce(${body.taskId ?? null}, e.task_id),
        coalesce(${body.incurredAt ? asInstant(body.incurredAt) : null}, e.start_time, ${now}), ${now}, ${now}
      from (${member}) m
      left join time_entries e on e.organization_id = ${organizationId} and e.id = ${body.timeEntryId ?? null}
      left join tasks t on t.organization_id = ${organizationId} and t.id = coalesce(${body.taskId ?? null}, e.task_id)
      where not exists (select from wrong) and (m.id = e.member_id) is not false
      returning ${costItemRow} as text, c.member_id, c.incurred_at)
    select (select json_agg(w) from wrong w) as wrong, made.text, made.member_id as "memberId", made.incurred_at::text as "incurredAt"
    from (select) one left join made on true`
}
