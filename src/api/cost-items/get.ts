import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { CostItem, costItemRow } from './cost-item.ts'

export const getCostItem = read({
  route: 'GET /cost-items/{id}',
  id: 'getCostItem',
  summary: 'Read one cost item',
  permission: 'view_analytics',
  extension: true,
  params: IdParams,
  response: CostItem,
  errors: ['cost_item_not_found'],

  async handler({ db, actor, params }) {
    const item = await db.one({
      row: costItemRow,
      from: sql`cost_items c where c.organization_id = ${actor.organizationId} and c.id = ${params.id}`,
    })
    if (!item) throw new ApiError('cost_item_not_found')
    return item
  },
})
