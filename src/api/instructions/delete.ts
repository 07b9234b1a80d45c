import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams, Success } from '../../http/schema.ts'
import { lockScopeOfStep } from './instruction.ts'

export const deleteInstruction = write({
  route: 'DELETE /instructions/{id}',
  id: 'deleteInstruction',
  summary: 'Delete a guest instruction step',
  description: 'The remaining steps of its property, or of its property group, are numbered 0…n-1 again, in the order they had.',
  permission: 'delete_guide',
  params: IdParams,
  body: EmptyBody,
  response: Success,
  errors: ['instruction_not_found'],

  async handler({ trx, actor, params, now }) {
    const { organizationId } = actor
    const [, [gone]] = await Promise.all([
      lockScopeOfStep(trx, organizationId, params.id),
      trx.rows<{ title: string | null; scopeField: string; scopeId: string; sortOrder: number }>(sql`
        with gone as (delete from instructions i where i.organization_id = ${organizationId} and i.id = ${params.id} returning i.*),
        rest as (
          select i.id, row_number() over (order by i.sort_order) - 1 as place from instructions i, gone g
          where i.organization_id = ${organizationId} and i.id <> g.id
            and (i.property_id = g.property_id or i.property_group_id = g.property_group_id)),
        moved as (
          update instructions i set sort_order = r.place, updated_at = ${now} from rest r
          where i.organization_id = ${organizationId} and i.id = r.id and i.sort_order <> r.place)
        select g.title, case when g.property_id is null then 'propertyGroupId' else 'propertyId' end as "scopeField",
          coalesce(g.property_id, g.property_group_id) as "scopeId", g.sort_order as "sortOrder" from gone g`),
    ])
    if (!gone) throw new ApiError('instruction_not_found')
    const { title, scopeField, scopeId, sortOrder } = gone
    const changes = { title: { from: title }, [scopeField]: { from: scopeId }, sortOrder: { from: sortOrder } }
    trx.event({ type: 'instruction.deleted', entityType: 'instruction', entityId: params.id.toLowerCase(), changes })
    return { success: true }
  },
})
