import type { Database } from '../db/db.ts'
import { sql } from '../db/sql.ts'
import { importRecords } from '../transfer/import.ts'
import { ownerEmail, ownerMemberId } from './members.ts'
import { demoRecords } from './records.ts'
import { demoId } from './rows.ts'

export const demoSlug = 'casa-aurora'
export const demoOrganizationId = demoId('organizations', 0)

/** Whom the demo key acts as. */
export const demoOwnerEmail = ownerEmail

export type LoadDemoOptions = {
  /** The day around which everything happens. */
  now: Date
  /** Told, in a line for people, what was loaded. */
  progress?: (line: string) => void
  /** Another organization than the demo's own: every row lives under its organization, so the rows may keep their ids. */
  organization?: { id: string; slug: string }
}

/**
 * Loads the demo organization in one transaction: all of it, or nothing if the process ends meanwhile.
 * Throws where an organization has its slug already.
 */
export async function loadDemo(
  database: Database,
  { now, progress = () => {}, organization = { id: demoOrganizationId, slug: demoSlug } }: LoadDemoOptions,
): Promise<{ organizationId: string; ownerMemberId: string }> {
  const { id, slug } = organization
  await database.transaction(async (trx) => {
    const created = await trx.run(sql`
      insert into organizations (id, name, slug, timezone, region, created_at)
      values (${id}, 'Casa Aurora', ${slug}, 'Europe/Lisbon', 'local', ${new Date(now.getTime() - age)})
      on conflict (slug) do nothing`)
    if (created === 0) throw new Error(`an organization with the slug ${slug} exists already`)
    const records = demoRecords(now)
    const result = await importRecords(trx, id, records)
    if (!result.ok) throw new Error(`the demo does not fit its own schema: ${JSON.stringify(result.issues[0])}`)
    const { properties, members, devices, reservations, tasks } = records
    progress(
      `Casa Aurora: ${properties.length} properties, ${members.length} members, ${devices.length} devices, ${reservations.length} reservations, ${tasks.length} tasks`,
    )
  })
  return { organizationId: id, ownerMemberId }
}

/** Older than any of its rows, in milliseconds. */
const age = 1_200 * 24 * 60 * 60 * 1000
