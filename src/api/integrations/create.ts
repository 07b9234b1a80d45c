import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { OneOf, Text } from '../../http/schema.ts'
import { providerNames } from '../../providers/provider.ts'
import { addIntegration, Integration, integrationRow, Settings } from './integration.ts'

export const createIntegration = write({
  route: 'POST /integrations',
  id: 'createIntegration',
  summary: 'Add an account at a provider of devices',
  description: `The settings are checked against what the provider takes, encrypted and never shown again. Nothing is asked of the provider
yet: \`POST /integrations/{id}/test\` tells whether the account works, \`POST /integrations/{id}/sync\` brings its devices in.`,
  permission: 'manage_integrations',
  extension: true,
  body: Type.Object(
    {
      provider: OneOf(providerNames),
      name: Type.Optional(Text({ minLength: 1, description: 'What people call the account.' })),
      settings: Type.Optional(Settings),
    },
    { additionalProperties: false, examples: [{ provider: 'simulated', name: 'Rehearsal' }] },
  ),
  response: Integration,
  errors: ['provider_not_connectable', 'invalid_settings', 'encryption_key_missing'],

  async handler({ trx, actor, body, now, connections }) {
    const { organizationId } = actor
    const id = await addIntegration(trx, connections, organizationId, body, now)
    return (await trx.one({
      row: integrationRow,
      from: sql`integration_accounts a where a.organization_id = ${organizationId} and a.id = ${id}`,
    }))!
  },
})
