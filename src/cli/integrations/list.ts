import type { Command } from 'commander'
import { type Integration, integrationRow } from '../../api/integrations/integration.ts'
import { sql } from '../../db/sql.ts'
import { withDatabase } from '../database.ts'
import { organizationIdBySlug } from '../organizations/by-slug.ts'
import { print, table } from '../output.ts'

export function integrationsList(parent: Command): void {
  parent
    .command('list')
    .summary("list an organization's accounts at providers")
    .description('Lists the accounts at providers of devices, oldest first. Their settings cannot be shown again.')
    .requiredOption('--organization <slug>', "the organization's slug")
    .option('--json', 'answer with an array, as GET /integrations does')
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const rows = await withDatabase(async (database) => {
        const { db } = database.reader()
        const organizationId = await organizationIdBySlug(db, organization)
        const found = await db.rows<{ account: string }>(sql`select ${integrationRow} as account from integration_accounts a
          where a.organization_id = ${organizationId} order by a.created_at, a.id`)
        return found.map(({ account }) => JSON.parse(account) as Integration)
      })
      print(rows, { json, text: rows.length > 0 ? accountTable(rows) : `${organization} has no integrations.` })
    })
}

const accountTable = (rows: Integration[]): string =>
  table(
    ['ID', 'PROVIDER', 'NAME', 'SETTINGS', 'DEVICES', 'LAST SYNCED'],
    rows.map(({ id, provider, name, hasSettings, deviceCount, lastSyncedAt }) => [
      id,
      provider,
      name,
      hasSettings ? 'stored' : 'none',
      String(deviceCount),
      lastSyncedAt,
    ]),
  )
