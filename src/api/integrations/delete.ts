import { write } from '../../http/endpoint.ts'
import { EmptyBody, IdParams, Success } from '../../http/schema.ts'
import { removeIntegration } from './integration.ts'

export const deleteIntegration = write({
  route: 'DELETE /integrations/{id}',
  id: 'deleteIntegration',
  summary: 'Delete an account at a provider, and archive its devices',
  description: 'Its settings are gone. Its devices keep what is known of them, but belong to no account and take no commands.',
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Success,
  errors: ['integration_not_found'],

  async handler({ trx, actor, params, now }) {
    await removeIntegration(trx, actor.organizationId, params.id, now)
    return { success: true }
  },
})
