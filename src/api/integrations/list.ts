import Type from 'typebox'
import { and, oneOf, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { AnyOf, List, Paging } from '../../http/schema.ts'
import { providerNames } from '../../providers/provider.ts'
import { Integration, integrationRow } from './integration.ts'

export const listIntegrations = read({
  route: 'GET /integrations',
  id: 'listIntegrations',
  summary: 'List the accounts at providers of devices',
  description: 'Oldest first. Their settings are never shown.',
  permission: 'view_integration',
  extension: true,
  query: Type.Object({ providers: AnyOf(providerNames, 'Accounts at one of these providers.'), ...Paging }),
  response: List(Integration),

  handler: ({ db, actor, query }) =>
    db.page({
      row: integrationRow,
      as: 'a',
      from: sql`integration_accounts a where ${and(
        sql`a.organization_id = ${actor.organizationId}`,
        query.providers && oneOf('a.provider', query.providers),
      )}`,
      order: sql`a.created_at, a.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
