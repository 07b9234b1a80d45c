import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Property, propertyRow } from './property.ts'

export const getProperty = read({
  route: 'GET /properties/{id}',
  id: 'getProperty',
  summary: 'Read one property',
  description: '`codeDisplay`, `groupCodeDisplay` and `internalAccessNotes` are null without the permission `private_code`.',
  permission: 'view_properties',
  extension: true,
  params: IdParams,
  response: Property,
  errors: ['property_not_found'],

  async handler({ db, actor, params }) {
    const property = await db.one({
      row: propertyRow(actor),
      from: sql`properties p where p.organization_id = ${actor.organizationId} and p.id = ${params.id}`,
    })
    if (!property) throw new ApiError('property_not_found')
    return property
  },
})
