import Type from 'typebox'
import { command } from '../../http/endpoint.ts'
import { EmptyBody, IdParams, Nullable, Resource } from '../../http/schema.ts'
import { requireIntegration } from './integration.ts'
import { tryAccount } from './try-account.ts'

const Tested = Resource('IntegrationTest', {
  ok: Type.Boolean(),
  error: Nullable(
    Type.Object({
      code: Type.String({
        description: '`not_connected`, or what the provider said: `auth_failed`, `unavailable`, `timeout`, …',
      }),
      message: Type.String(),
    }),
  ),
})

/** A command for its shape alone: the provider is asked with no transaction open. It changes nothing, so it may run again. */
export const testIntegration = command({
  route: 'POST /integrations/{id}/test',
  id: 'testIntegration',
  summary: 'Try whether an account at a provider works',
  description: 'The provider is asked now. That it cannot be used is an answer: `ok` is false, and `error` says why.',
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Tested,
  errors: ['integration_not_found'],

  async begin({ trx, actor, params, occupy }) {
    await requireIntegration(trx, actor.organizationId, params.id)
    occupy(params.id.toLowerCase())
    return { commandId: params.id }
  },
  act: ({ actor, params, connections, config }) =>
    tryAccount(connections, { organizationId: actor.organizationId, accountId: params.id }, config.providerTimeout),
  finish: ({ outcome }) => outcome,
  present({ actor, params, connections, config, occupy }) {
    occupy(params.id.toLowerCase())
    return tryAccount(connections, { organizationId: actor.organizationId, accountId: params.id }, config.providerTimeout)
  },
})
