import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { Computed, projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import type { Change } from '../../http/events.ts'
import { DateTime, Nullable, NullableDateTime, NullableString, OneOf, Resource, Text, Uuid } from '../../http/schema.ts'
import { type Connections, type ProviderName, providerNames } from '../../providers/provider.ts'
import { closeAlerts } from '../device-alerts/reconcile.ts'

/** An account at a provider of devices. Its settings are never shown, for secrets are among them. */
export const Integration = Resource('Integration', {
  id: Uuid,
  provider: OneOf(providerNames),
  name: NullableString,
  hasSettings: Computed(Type.Boolean({ description: 'Whether settings are stored. They cannot be read again.' })),
  deviceCount: Computed(Type.Integer({ description: 'Its devices, archived ones left out.' })),
  lastSyncedAt: NullableDateTime,
  lastPolledAt: Nullable(Type.String({ format: 'date-time', description: 'When it was last polled with success.' })),
  lastPollError: Nullable(
    Type.String({ description: 'Why polling it failed since: not_connected, unavailable, timeout, auth_failed, …' }),
  ),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Integration = Static<typeof Integration>

/** An account under the alias `a`. */
export const integrationRow = projection(Integration, 'a', {
  hasSettings: sql`(a.credentials is not null)::text`,
  deviceCount: sql`(select count(*)::text from devices d where d.organization_id = a.organization_id
    and d.integration_account_id = a.id and not d.is_archived)`,
})

/** What connecting takes. Which names there are is the provider's matter: docs/integrations.md. */
export const Settings = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_]{1,100}$' }),
  Type.Union([Text({ maxLength: 20_000 }), Type.Number(), Type.Boolean()]),
  {
    additionalProperties: false,
    maxProperties: 50,
    description: "The provider's settings, secrets among them: docs/integrations.md.",
  },
)

export type NewIntegration = { provider: ProviderName; name?: string | undefined; settings?: Record<string, unknown> | undefined }

/** Stores a new account, and answers its id. Throws as `Connections.seal` does. Nothing is asked of the provider yet. */
export async function addIntegration(
  trx: Change,
  connections: Connections,
  organizationId: string,
  { provider, name, settings = {} }: NewIntegration,
  now: Date,
): Promise<string> {
  const id = v7()
  const sealed = connections.seal({ organizationId, accountId: id, provider }, settings)
  await trx.run(sql`
    insert into integration_accounts (organization_id, id, provider, name, credentials, created_at, updated_at)
    values (${organizationId}, ${id}, ${provider}, ${name ?? null}, ${sealed}, ${now}, ${now})`)
  const changes = { provider: { to: provider }, name: { to: name ?? null }, settings: { changed: true } }
  trx.event({ type: 'integration.created', entityType: 'integration', entityId: id, changes })
  return id
}

/**
 * Deletes an account with its settings. Its devices keep what is known of them, are archived and belong to no account any
 * more. Answers how many there were; throws ApiError `integration_not_found`.
 */
export async function removeIntegration(trx: Change, organizationId: string, id: string, now: Date): Promise<number> {
  const [account] = await trx.rows<{ provider: string; name: string | null }>(sql`
    select provider, name from integration_accounts where organization_id = ${organizationId} and id = ${id} for update`)
  if (!account) throw new ApiError('integration_not_found')
  const devices = await trx.rows<{ id: string; wasArchived: boolean }>(sql`
    with before as (select id, is_archived from devices
      where organization_id = ${organizationId} and integration_account_id = ${id} for no key update)
    update devices d set is_archived = true, archived_by_sync = false, integration_account_id = null, updated_at = ${now}
    from before where d.organization_id = ${organizationId} and d.id = before.id
    returning d.id, before.is_archived as "wasArchived"`)
  await closeAlerts(
    trx,
    organizationId,
    devices.map((device) => device.id),
    now,
  )
  await trx.run(sql`delete from simulated_devices where organization_id = ${organizationId} and integration_account_id = ${id}`)
  await trx.run(sql`delete from integration_accounts where organization_id = ${organizationId} and id = ${id}`)
  const changes = {
    provider: { from: account.provider },
    name: { from: account.name },
    devices: { archived: devices.map((device) => device.id) },
  }
  trx.event({ type: 'integration.deleted', entityType: 'integration', entityId: id.toLowerCase(), changes })
  for (const { id: entityId, wasArchived } of devices) {
    const archived = wasArchived ? {} : { isArchived: { from: false, to: true } }
    const integrationAccountId = { from: id.toLowerCase(), to: null }
    trx.event({ type: 'device.updated', entityType: 'device', entityId, changes: { ...archived, integrationAccountId } })
  }
  return devices.length
}

/** Throws ApiError `integration_not_found`. */
export async function requireIntegration(trx: Trx, organizationId: string, id: string): Promise<void> {
  const [found] = await trx.rows(
    sql`select 1 as found from integration_accounts where organization_id = ${organizationId} and id = ${id}`,
  )
  if (!found) throw new ApiError('integration_not_found')
}
