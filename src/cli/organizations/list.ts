import type { Command } from 'commander'
import { sql } from '../../db/sql.ts'
import { withDatabase } from '../database.ts'
import { print, table } from '../output.ts'

type Row = { id: string; name: string; slug: string; region: string; timezone: string | null; createdAt: Date }

export function organizationsList(parent: Command): void {
  parent
    .command('list')
    .summary('list the organizations')
    .description('Lists the organizations, oldest first.')
    .option('--json', 'answer with an array of { id, name, slug, region, timezone, createdAt }')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withDatabase((database) =>
        database
          .reader()
          .db.rows<Row>(
            sql`select id, name, slug, region, timezone, created_at as "createdAt" from organizations order by created_at, id`,
          ),
      )
      const text = table(
        ['SLUG', 'NAME', 'TIME ZONE', 'REGION', 'ID'],
        rows.map(({ slug, name, timezone, region, id }) => [slug, name, timezone, region, id]),
      )
      print(rows, { json, text: rows.length > 0 ? text : 'There are no organizations.' })
    })
}
