import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKey, digestOf, newKey } from '../api/api-keys/api-key.ts'
import type { Database, Trx } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { permissions } from '../http/permissions.ts'
import { demoSlug } from './demo.ts'

/** By this name a demo key whose text was lost is found again, to be revoked. */
const demoKeyName = 'Demo key (printed at every start)'

type Owner = { organizationId: string; memberId: string }

/**
 * The key of the demo organization's owner, with all permissions: the same for as long as the data directory keeps its
 * file `demo-key`, the only place where a key stands in plain text. If the file is lost, a new key is made and the old
 * one revoked; if the key was revoked, it stays so ('revoked'). Undefined where there is no demo organization.
 */
export async function demoKey(database: Database, dataDir: string): Promise<string | undefined> {
  return database.transaction(async (trx) => {
    const owner = await demoOwner(trx)
    if (!owner) return undefined
    const file = join(dataDir, 'demo-key')
    const stored = await readKey(file)
    if (stored) {
      const [row] = await trx.rows<{ revoked: boolean }>(
        sql`select revoked_at is not null as revoked from api_keys where digest = ${digestOf(stored)}`,
      )
      if (row) return row.revoked ? 'revoked' : stored
    }
    const key = stored ?? newKey('test')
    await trx.run(sql`
      update api_keys set revoked_at = now()
      where organization_id = ${owner.organizationId} and name = ${demoKeyName} and revoked_at is null`)
    await createKey(trx, { ...owner, key, permissions, name: demoKeyName })
    // Before the commit: a file whose key is unknown makes that key valid at the next start, a lost one would change it.
    await writeKey(file, key)
    return key
  })
}

async function demoOwner(trx: Trx): Promise<Owner | undefined> {
  const [owner] = await trx.rows<Owner>(sql`
    select o.id as "organizationId", m.id as "memberId"
    from organizations o join members m on m.organization_id = o.id
    where o.slug = ${demoSlug} and m.role = 'owner' and m.joined_at is not null and m.deactivated_at is null
    order by m.created_at, m.id limit 1`)
  return owner
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    return /^sk_test_\w{40,}$/.test(text) ? text : undefined
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written beside and renamed: the file is whole or not there at all. */
async function writeKey(file: string, key: string): Promise<void> {
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
}
