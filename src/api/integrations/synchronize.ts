import Type from 'typebox'
import { command } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams, Resource } from '../../http/schema.ts'
import { ProviderError } from '../../providers/provider.ts'
import { providerUnavailable } from '../devices/movement.ts'
import { requireIntegration } from './integration.ts'
import { type Listing, readListing, storeListing } from './sync.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const Synced = Resource('IntegrationSync', {
  seen: Count('Devices that the provider listed.'),
  created: Count('New here: they are linked to no property yet.'),
  updated: Count('Their name, type or ecosystem changed at the provider.'),
  archived: Count('No longer listed.'),
  restored: Count('Archived by an earlier sync, and listed again.'),
})

export const syncIntegration = command({
  route: 'POST /integrations/{id}/sync',
  id: 'syncIntegration',
  summary: 'Bring the devices of an account in line with its provider',
  description: `The whole list is read before anything is changed: a provider that cannot be used is 503, and nothing has changed. A name that
a person gave stays. A device that a person archived stays archived. Syncing again is always safe; a request repeated under its
Idempotency-Key while the first is at it, or after it broke off, is 409.`,
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Synced,
  errors: ['integration_not_found', 'integration_not_connected', 'provider_unavailable'],

  async begin({ trx, actor, params, occupy }) {
    await requireIntegration(trx, actor.organizationId, params.id)
    occupy(params.id.toLowerCase())
    return { commandId: params.id }
  },

  async act({ actor, params, connections, config, clock }): Promise<Listing | ApiError> {
    const connection = await connections.of(actor.organizationId, params.id)
    if (!connection) return new ApiError('integration_not_connected')
    try {
      return await readListing(connection, config.providerTimeout, clock())
    } catch (error) {
      if (error instanceof ProviderError) return providerUnavailable(error)
      throw error
    }
  },

  async finish({ trx, actor, params, outcome, now, config }) {
    if (outcome instanceof ApiError) return outcome
    const account = { organizationId: actor.organizationId, accountId: params.id.toLowerCase() }
    return storeListing(trx, account, outcome, now, config)
  },

  present: () => {
    throw new ApiError('idempotency_in_progress')
  },
})
