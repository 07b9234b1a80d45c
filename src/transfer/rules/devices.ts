import { sql } from '../../db/sql.ts'
import { complain, type Import, isImported, unique } from './rule.ts'

/** At an account, an external id names one device. */
export async function checkDevices(given: Import): Promise<void> {
  const byExternalId = unique(given, 'devices', 'externalId', ({ integrationAccountId, externalId }) =>
    integrationAccountId && externalId != null ? `${integrationAccountId} ${externalId}` : null,
  )
  if (byExternalId.size === 0) return
  const accounts = [...byExternalId.values()].map(({ value }) => value.integrationAccountId!)
  const externalIds = [...byExternalId.values()].map(({ value }) => value.externalId!)
  const stored = await given.trx.rows<{ id: string; key: string }>(sql`
    select d.id, d.integration_account_id || ' ' || d.external_id as key
    from unnest(${accounts}::uuid[], ${externalIds}::text[]) g (account, external_id)
    join devices d on d.organization_id = ${given.organizationId}
      and d.integration_account_id = g.account and d.external_id = g.external_id`)
  for (const { id, key } of stored) {
    const entry = byExternalId.get(key)!
    if (entry.value.id !== id && !isImported(given, 'devices', id))
      complain(given, 'devices', entry.line, 'externalId', 'taken', `is that of device ${id} of the organization`)
  }
}
