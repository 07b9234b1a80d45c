import type { Command } from 'commander'
import { sql } from '../../db/sql.ts'
import { permissions as allPermissions } from '../../http/permissions.ts'
import { withDatabase } from '../database.ts'
import { organizationIdBySlug } from '../organizations/by-slug.ts'
import { print, table } from '../output.ts'

type Row = {
  id: string
  name: string | null
  memberId: string
  memberEmail: string | null
  permissions: string[]
  rateLimit: number | null
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

export function keysList(parent: Command): void {
  parent
    .command('list')
    .summary("list an organization's API keys")
    .description('Lists the API keys of an organization, oldest first. The keys themselves cannot be shown again.')
    .requiredOption('--organization <slug>', "the organization's slug")
    .option('--json', 'answer with an array of what is known of each key')
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const rows = await withDatabase(async (database) => {
        const { db } = database.reader()
        return db.rows<Row>(keysOf(await organizationIdBySlug(db, organization)))
      })
      print(rows, { json, text: rows.length > 0 ? keyTable(rows) : `${organization} has no API keys.` })
    })
}

const keysOf = (organizationId: string) => sql`
  select k.id, k.name, k.member_id as "memberId", m.email as "memberEmail", k.permissions::text[] as permissions,
    k.rate_limit as "rateLimit", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt",
    k.created_at as "createdAt"
  from api_keys k
  left join members m on m.organization_id = k.organization_id and m.id = k.member_id
  where k.organization_id = ${organizationId}
  order by k.created_at, k.id`

function keyTable(rows: Row[]): string {
  const now = new Date()
  return table(
    ['ID', 'NAME', 'MEMBER', 'STATE', 'PERMISSIONS', 'LAST USED'],
    rows.map((row) => [
      row.id,
      row.name,
      row.memberEmail,
      stateOf(row, now),
      permissionsOf(row),
      row.lastUsedAt?.toISOString() ?? null,
    ]),
  )
}

function stateOf({ revokedAt, expiresAt }: Row, now: Date): string {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'works'
  return expiresAt <= now ? 'expired' : `works until ${expiresAt.toISOString().slice(0, 10)}`
}

const permissionsOf = ({ permissions }: Row) => (permissions.length === allPermissions.length ? 'all' : permissions.join(','))
