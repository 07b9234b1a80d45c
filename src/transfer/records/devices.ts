import Type from 'typebox'
import { Device } from '../../api/devices/device.ts'
import { Nullable, NullableDateTime, NullableUuid, OneOf, Uuid } from '../../http/schema.ts'
import { providerNames } from '../../providers/provider.ts'
import { idLink } from '../link.ts'
import { fieldsOf, NullableText, type RecordFile, record, Stamps } from '../record.ts'

export const integrationAccounts = {
  table: 'integration_accounts',
  about: "Accounts at device providers. Their credentials are never exported; an import leaves an account's as they are.",
  schema: record(
    { id: Uuid, provider: OneOf(providerNames), name: NullableText, lastSyncedAt: NullableDateTime, ...Stamps },
    { required: ['id', 'provider'] },
  ),
  untransferred: ['credentials', 'next_poll_at', 'poll_failures', 'last_polled_at', 'last_poll_error', 'watched_by'],
} satisfies RecordFile

export const devices = {
  table: 'devices',
  about: 'Smart devices, and the properties they belong to.',
  schema: record(
    {
      ...fieldsOf(Device, { computed: ['linkedProperties'] }),
      batteryLevel: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
      propertyIds: Type.Array(Uuid, { maxItems: 1000 }),
      integrationAccountId: NullableUuid,
      externalId: NullableText,
      enableRemoteControls: Type.Boolean(),
      ...Stamps,
    },
    { required: ['id'], defaults: { isArchived: false, enableRemoteControls: true, propertyIds: [] } },
  ),
  references: { integrationAccountId: 'integration-accounts', propertyIds: 'properties' },
  release: {
    set: 'external_id = null',
    where: `t.external_id is not null
      and (t.integration_account_id, t.external_id) is distinct from (g.integration_account_id, g.external_id)`,
  },
  untransferred: ['provider_name', 'archived_by_sync', 'is_listed'],
  links: [idLink({ field: 'propertyIds', table: 'device_properties', owner: 'device_id', key: 'property_id' })],
} satisfies RecordFile
