import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { typosBetween } from './typos.ts'

/**
 * The query as text search queries of PostgreSQL. `any` matches everything that is a find, `better` what of it is better than the
 * rest. With `beginning`, the folded query, names that are it or begin with it are better still.
 */
export type Wanted = { any: string; better: string; beginning: string | null }

/**
 * A word of the query, and what is known of it. `isSure`: any word that begins like it would be known. `near`: those that a typo
 * may have made it of.
 */
type Word = { word: string; isSure: boolean; isKnown: boolean; isBeginning: boolean; near: { word: string; typos: number }[] }
export type Read = { name: string; words: Word[] }

/**
 * Reads a query: what words it has, and what is known of them. Typos are looked for in those that begin no known word or, with `all`, in every one.
 */
export async function readQuery(db: Db, organizationId: string, query: string, all = false): Promise<Read> {
  const [read] = await db.rows<{ name: string; words: Word[] }>(sql`
    with words as materialized (
      select word, search_learns(word) and word !~ '[0-9]' as is_sure,
        exists (select from search_words s where s.organization_id = ${organizationId} and s.word = q.word collate "C") as is_known,
        exists (select from search_words s where s.organization_id = ${organizationId} and s.word > q.word collate "C"
          and s.word < (q.word || ${'\u{10ffff}'}) collate "C") as is_beginning
      from (select distinct unnest(search_words_of(${query})) as word) q),
    mistyped as materialized (
      select word, search_variants(word, case when length(word) < 6 then 1 else 2 end) as variants from words
      where word !~ '[0-9]' and length(word) between 3 and 30 and (${all} or is_sure and not is_known and not is_beginning))
    select search_name(${query}) as name, coalesce((
      select json_agg(json_build_object('word', w.word, 'isSure', w.is_sure, 'isKnown', w.is_known, 'isBeginning', w.is_beginning,
        'near', coalesce((
          select json_agg(json_build_object('word', s.word, 'typos', search_typos(s.word)))
          from mistyped m join search_words s on s.organization_id = ${organizationId} and s.variants && m.variants
          where m.word = w.word), '[]'))) from words w), '[]') as words`)
  return read!
}

/** Each word of the query, or what begins with it: exact names first, then whole words, then beginnings. Undefined where a word begins none that is known. */
export function asWritten(organizationId: string, { name, words }: Read): Wanted | undefined {
  if (words.some(({ isSure, isKnown, isBeginning }) => isSure && !isKnown && !isBeginning)) return undefined
  const { lexeme, beginningWith } = lexemes(organizationId)
  return { any: words.map(beginningWith).join(' & '), better: words.map(({ word }) => lexeme(word)).join(' & '), beginning: name }
}

/**
 * The query with its typos forgiven: in place of each word every known one that is near enough, the nearest first. Undefined
 * where no word is near any.
 */
export function forgiven(organizationId: string, { words }: Read): Wanted | undefined {
  const { lexeme, beginningWith } = lexemes(organizationId)
  const read = words.map((word) => {
    const measured = word.near.map((other) => ({ ...other, distance: typosBetween(word.word, other.word) }))
    return { written: beginningWith(word), found: measured.filter(({ distance, typos }) => distance <= typos) }
  })
  if (read.every(({ found }) => found.length === 0)) return undefined
  const together = (others: (entry: (typeof read)[number]) => string[]) =>
    read.map((entry) => `(${[entry.written, ...others(entry).map(lexeme)].join(' | ')})`).join(' & ')
  const all = together(({ found }) => found.map(({ word }) => word))
  const nearest = together(({ found }) => {
    const least = Math.min(...found.map(({ distance }) => distance))
    return found.filter(({ distance }) => distance === least).map(({ word }) => word)
  })
  return { any: all, better: nearest, beginning: null }
}

/** Words as they stand in the index: behind what is their organization's. They have no quotes. */
function lexemes(organizationId: string) {
  const lexeme = (word: string) => `'${organizationId.slice(-8)}${word}'`
  // Looking for what begins with a word reads far more of the index: it is left where nothing does.
  const beginningWith = ({ word, isSure, isBeginning }: Word) => (isSure && !isBeginning ? lexeme(word) : `${lexeme(word)}:*`)
  return { lexeme, beginningWith }
}
