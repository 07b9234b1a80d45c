import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { didYouMean } from '../nearest.ts'

/** The id of the organization with this slug; throws an Error that names the nearest slugs. */
export async function organizationIdBySlug(db: Db, slug: string): Promise<string> {
  const [organization] = await db.rows<{ id: string }>(sql`select id from organizations where slug = ${slug}`)
  if (organization) return organization.id
  const known = await db.rows<{ slug: string }>(sql`select slug from organizations order by slug limit 1000`)
  const slugs = known.map((row) => row.slug)
  throw new Error(`there is no organization with the slug "${slug}"${didYouMean(slug, slugs)}`)
}
