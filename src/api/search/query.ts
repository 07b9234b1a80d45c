import type { Db } from '../../db/db.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Wanted } from './find.ts'
import { typosBetween } from './typos.ts'

/** What each word of an organization stands behind in the index. */
const placeOf = (organizationId: string) => organizationId.slice(-8)

/** Each word of the query, or what begins with it: exact names first, then whole words, then beginnings. */
export function asWritten(organizationId: string, query: string): Wanted {
  const words = (ending: string): Sql => sql`(
    select string_agg('''' || ${placeOf(organizationId)} || word || '''' || ${ending}, ' & ')::tsquery
    from unnest(search_words_of(${query})) word)`
  return { any: words(':*'), better: words(''), beginning: sql`search_name(${query})` }
}

type Similar = { word: string; other: string | null; typos: number | null }

/**
 * The query with its typos forgiven: in place of each word every known one that is near enough, the nearest first. Undefined
 * where no word is near any.
 */
export async function forgiven(db: Db, organizationId: string, query: string): Promise<Wanted | undefined> {
  const similar = await db.rows<Similar>(sql`
    with words as materialized (
      select word, search_variants(word, case when length(word) < 6 then 1 else 2 end) as variants
      from unnest(search_words_of(${query})) word where word !~ '[0-9]' and length(word) between 3 and 30)
    select q.word, s.word as other, search_typos(s.word) as typos
    from unnest(search_words_of(${query})) q (word)
    left join words w on w.word = q.word
    left join search_words s on s.organization_id = ${organizationId} and s.variants && w.variants`)
  const near = [...Map.groupBy(similar, ({ word }) => word)].map(([word, others]) => {
    const measured = others.flatMap(({ other, typos }) =>
      other === null ? [] : [{ other, typos: typos!, distance: typosBetween(word, other) }],
    )
    return { word, found: measured.filter(({ distance, typos }) => distance <= typos) }
  })
  if (near.every(({ found }) => found.length === 0)) return undefined
  const lexeme = (word: string) => `'${placeOf(organizationId)}${word}'`
  const together = (words: (entry: (typeof near)[number]) => string[]) =>
    near.map((entry) => `(${[`${lexeme(entry.word)}:*`, ...words(entry).map(lexeme)].join(' | ')})`).join(' & ')
  const all = together(({ found }) => found.map(({ other }) => other))
  const nearest = together(({ found }) => {
    const least = Math.min(...found.map(({ distance }) => distance))
    return found.filter(({ distance }) => distance === least).map(({ other }) => other)
  })
  return { any: sql`${all}::tsquery`, better: sql`${nearest}::tsquery` }
}
