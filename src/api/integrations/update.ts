import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams, Nullable, Text } from '../../http/schema.ts'
import { Integration, integrationRow, Settings } from './integration.ts'

const Changes = Type.Partial(Type.Object({ name: Nullable(Text({ minLength: 1 })), settings: Settings }), {
  additionalProperties: false,
})

export const updateIntegration = write({
  route: 'PATCH /integrations/{id}',
  id: 'updateIntegration',
  summary: 'Rename an account at a provider, or give it other settings',
  description:
    'Settings are replaced whole, for the stored ones cannot be seen. Every node uses the new ones from its next call on.',
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: Changes }, { additionalProperties: false }),
  response: Integration,
  errors: ['integration_not_found', 'provider_not_connectable', 'invalid_settings', 'encryption_key_missing'],

  async handler({ trx, actor, params, body: { data }, now, connections }) {
    const { organizationId } = actor
    const from = sql`integration_accounts a where a.organization_id = ${organizationId} and a.id = ${params.id}`
    const stored = await trx.one({ row: integrationRow, from: sql`${from} for update` })
    if (!stored) throw new ApiError('integration_not_found')
    const { id, provider, name } = JSON.parse(stored.text) as Integration
    const settings = data.settings && { sealed: connections.seal({ organizationId, accountId: id, provider }, data.settings) }
    const renamed = data.name !== undefined && data.name !== name
    if (!settings && !renamed) return stored
    await trx.run(sql`
      update integration_accounts a set updated_at = ${now},${settings ? sql` next_poll_at = ${now}, poll_failures = 0, watched_by = null,` : sql``}
        name = ${renamed ? data.name! : name},
        credentials = ${settings ? sql`${settings.sealed}::bytea` : sql`a.credentials`}
      where a.organization_id = ${organizationId} and a.id = ${id}`)
    const changes = {
      ...(renamed ? { name: { from: name, to: data.name } } : {}),
      ...(settings ? { settings: { changed: true } } : {}),
    }
    trx.event({ type: 'integration.updated', entityType: 'integration', entityId: id, changes })
    return (await trx.one({ row: integrationRow, from }))!
  },
})
