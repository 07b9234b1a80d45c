import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { PropertyGroup, propertyGroupRow } from './property-group.ts'

export const getPropertyGroup = read({
  route: 'GET /property-groups/{id}',
  id: 'getPropertyGroup',
  summary: 'Read one property group',
  permission: 'view_properties',
  extension: true,
  params: IdParams,
  response: PropertyGroup,
  errors: ['property_group_not_found'],

  async handler({ db, actor, params }) {
    const group = await db.one({
      row: propertyGroupRow,
      from: sql`property_groups g where g.organization_id = ${actor.organizationId} and g.id = ${params.id}`,
    })
    if (!group) throw new ApiError('property_group_not_found')
    return group
  },
})
