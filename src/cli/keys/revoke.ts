import type { Command } from 'commander'
import { revokeKey } from '../../api/api-keys/api-key.ts'
import type { Database } from '../../db/db.ts'
import { isUuid, sql } from '../../db/sql.ts'
import { changing } from '../../http/events.ts'
import { byCommand, withDatabase } from '../database.ts'
import { print } from '../output.ts'

export function keysRevoke(parent: Command): void {
  parent
    .command('revoke')
    .summary('revoke an API key')
    .description('Revokes an API key: its very next request is refused. This cannot be undone.')
    .argument('<id>', 'the id of the key, as `keys list` shows it')
    .option('--json', 'answer with { id }')
    .action(async (id: string, { json }: { json?: boolean }) => {
      if (id.startsWith('sk_')) throw new Error('give the id of the key, not the key itself: `npx steward keys list` shows it')
      if (!isUuid(id)) throw unknown(id)
      await withDatabase((database) => revoke(database, id))
      print({ id }, { json, text: `Revoked ${id}.` })
    })
}

async function revoke(database: Database, id: string): Promise<void> {
  const [key] = await database
    .reader()
    .db.rows<{ organizationId: string }>(sql`select organization_id as "organizationId" from api_keys where id = ${id}`)
  if (!key) throw unknown(id)
  const { organizationId } = key
  await changing(database, byCommand(organizationId), new Date(), async (change) => {
    if (await revokeKey(change, organizationId, id))
      change.event({ type: 'api_key.revoked', entityType: 'api_key', entityId: id })
  })
}

const unknown = (id: string) => new Error(`there is no API key with the id "${id}"`)
