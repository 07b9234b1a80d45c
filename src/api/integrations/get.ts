import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Integration, integrationRow } from './integration.ts'

export const getIntegration = read({
  route: 'GET /integrations/{id}',
  id: 'getIntegration',
  summary: 'Read one account at a provider of devices',
  permission: 'view_integration',
  extension: true,
  params: IdParams,
  response: Integration,
  errors: ['integration_not_found'],

  async handler({ db, actor, params }) {
    const account = await db.one({
      row: integrationRow,
      from: sql`integration_accounts a where a.organization_id = ${actor.organizationId} and a.id = ${params.id}`,
    })
    if (!account) throw new ApiError('integration_not_found')
    return account
  },
})
