import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import { isUuid, raw, type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { Nullable, OneOf, Text } from '../../http/schema.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { Property, propertyRow, type StatusField, statusValues } from './property.ts'

const fields = Object.keys(statusValues) as StatusField[]

const Body = Type.Object(
  {
    field: OneOf([...fields, ...fields.map((field) => `${field}Status` as const)], {
      description: 'The status field to change; both spellings name the same field.',
    }),
    value: Nullable(Text({ description: 'The new value; null clears the field.', examples: ['ready'] })),
    trigger: Text({ minLength: 1, maxLength: 200, description: 'Why it changes.', examples: ['checkout_clean_done'] }),
    id: Type.Optional(
      Text({ description: 'Must equal the id in the path.', examples: ['0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'] }),
    ),
    reservationId: Type.Optional(Nullable(Type.String({ format: 'uuid', description: 'The stay that it has to do with.' }))),
  },
  { additionalProperties: false },
)

const vocabulary = fields
  .map((field) => `| \`${field}\` | ${statusValues[field].map((value) => `\`${value}\``).join(', ')} |`)
  .join('\n')

export const setPropertyStatus = write({
  route: 'POST /properties/{id}/status',
  id: 'setPropertyStatus',
  summary: 'Set one status field of a property, and say why',
  description: `| field | values |\n|---|---|\n${vocabulary}

An organization may add values of its own. Any value may follow any other. Each call is kept with its reason, its caller, the time, the
value before and the reservation; setting the value that the field has is kept too, as its confirmation, and changes nothing else.

\`codeDisplay\`, \`groupCodeDisplay\` and \`internalAccessNotes\` are null without the permission \`private_code\`.`,
  permission: 'modify_properties',
  params: Type.Object({
    id: Type.String({
      description: 'Of any form: one that names no property is 404.',
      examples: ['0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'],
    }),
  }),
  body: Body,
  response: Property,
  errors: ['property_not_found', 'id_mismatch', 'invalid_reference', 'unknown_status_value'],

  async handler({ trx, actor, params, body, now, requestId }) {
    if (!isUuid(params.id)) throw new ApiError('property_not_found')
    const field = body.field.replace('Status', '') as StatusField
    const [found] = await trx.rows<Found>(change(actor, params.id, field, body, { now, requestId }))
    const { wrong, property, previous, own } = found!
    if (!property) throw new ApiError('property_not_found')
    if (body.id !== undefined && body.id.toLowerCase() !== params.id.toLowerCase())
      throw new ApiError('id_mismatch', { field: 'id' })
    refuseWrong(wrong)
    const allowed = [...new Set([...statusValues[field], ...own])]
    if (body.value !== null && !allowed.includes(body.value))
      throw new ApiError('unknown_status_value', { field: 'value', statusField: field, allowed })
    if (previous !== body.value) {
      const changes = { [`${field}Status`]: { from: previous, to: body.value }, trigger: { to: body.trigger } }
      const entityId = params.id.toLowerCase()
      trx.event({ type: 'property.status_changed', entityType: 'property', entityId, changes })
    }
    return { text: property }
  },
})

/** The property as it is now, as JSON; the value before; and the values that the organization added. */
type Found = { wrong: WrongReference[] | null; property: string | null; previous: string | null; own: string[] }

/** Changes and keeps record without looking at the vocabulary: where the value turns out not to stand in it, all is rolled back. */
function change(
  actor: Actor,
  id: string,
  field: StatusField,
  { value, trigger, reservationId }: Static<typeof Body>,
  { now, requestId }: { now: Date; requestId: string },
): Sql {
  const { organizationId, memberId } = actor
  const column = raw(`${field}_status`)
  return sql`
    with wrong as (${wrongReferences([reference('reservationId', 'reservations', organizationId, reservationId)])}),
    before as (
      select * from properties p where p.organization_id = ${organizationId} and p.id = ${id} for no key update),
    after as (
      update properties p set ${column} = ${value}, updated_at = ${now} from before b
      where p.organization_id = ${organizationId} and p.id = b.id and b.${column} is distinct from ${value} returning p.*),
    kept as (
      insert into property_status_changes
        (organization_id, id, property_id, field, value, previous_value, trigger, reservation_id, member_id, request_id, created_at)
      select b.organization_id, ${v7()}, b.id, ${field}, ${value}, b.${column}, ${trigger}, ${reservationId ?? null}, ${memberId}, ${requestId},
        ${now}
      from before b where not exists (select from wrong))
    select (select json_agg(w) from wrong w) as wrong, (select b.${column} from before b) as previous,
      coalesce((select ${propertyRow(actor)} from after p), (select ${propertyRow(actor)} from before p)) as property,
      array(select v.value from property_status_values v
        where v.organization_id = ${organizationId} and v.field = ${field} order by v.value) as own`
}
