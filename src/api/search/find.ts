import type { Projection } from '../../db/projection.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import type { Wanted } from './query.ts'
import type { SearchResult } from './search-item.ts'
import type { Source } from './sources.ts'

type Found = { row: Projection<SearchResult>; from: Sql }

/** How many finds of a type are ranked. What begins with the query is ranked in any case. */
const ranked = 1_000

/**
 * The best `limit` finds, and how many there are, as the JSON of `row`. Names that begin with the query are
 * read in their order from an index; of the others at most 1,000 a type are ranked, so that a word which half of all names
 * have costs little more than its count.
 */
export function find(organizationId: string, sources: readonly Source[], wanted: Wanted, limit: number): Found {
  const beginning = sql`${wanted.beginning}::text`
  const matching = ({ rows, condition }: Source) => sql`from ${rows} e
    where e.organization_id = ${organizationId} and e.search @@ ${wanted.any}::tsquery${condition ? sql` and ${condition}` : raw('')}`
  const columns = ({ past, away }: Source, type: number) => sql`${raw(String(type))} as type, e.id, e.search_name as name,
    case when e.search_name = ${beginning} then 0
      when starts_with(e.search_name, ${beginning} || ' ') then 1
      when e.search @@ ${wanted.better}::tsquery then 2
      when starts_with(e.search_name, ${beginning}) then 3 else 4 end as grade,
    ${past ?? raw('false')} as past, ${away ?? raw('null::numeric')} as away`
  const firstOnes = sources.map((source, type) => sql`(select ${columns(source, type)} ${matching(source)} limit ${ranked})`)
  const beginnings = sources.map(
    (source, type) => sql`(select ${columns(source, type)} ${matching(source)} and ${isMany(type)}
      and e.search_name >= ${beginning} and e.search_name < ${beginning} || ${'\u{10ffff}'}
      order by e.search_name limit ${limit})`,
  )
  const counts = sources.map(
    (source, type) => sql`case when ${isMany(type)} then (select count(*) ${matching(source)})
      else coalesce((select n from counted where type = ${raw(String(type))}), 0) end`,
  )
  const shown = sources.map(
    ({ rows, shown }, type) => sql`select s.* from (${shown} from ${rows} e
      where e.organization_id = ${organizationId} and e.id = page.id and page.type = ${raw(String(type))}) s`,
  )
  const names = sources.map(({ type }) => type)
  const from = sql`(
    with first_ones as materialized (${join(firstOnes, ' union all ')}),
    counted as materialized (select type, count(*) as n from first_ones group by type),
    finds as (select * from first_ones union ${join(beginnings, ' union ')}),
    page as (
      select row_number() over best as place, * from finds
      window best as (order by grade, name, past, away, type, id) order by place limit ${limit})
    select ${join(counts, ' + ')} as total, coalesce((
      select json_agg(json_build_object(
        'entityId', s."entityId", 'entityType', (${names}::text[])[page.type + 1],
        'name', coalesce(nullif(s.name, ''), s.alternative, ''),
        'searchIndexId', (${names}::text[])[page.type + 1] || ':' || s."entityId", 'subtitle', s.subtitle) order by place)
      from page cross join lateral (${join(shown, ' union all ')}) s), '[]')::text as items) found`
  return { row: sql`'{"items":' || items || ',"total":' || total || '}'` as Projection<SearchResult>, from }
}

/** Whether there may be more of a type than were ranked: only then are they counted, and what begins with the query is read besides. */
const isMany = (type: number): Sql => sql`(select n = ${ranked} from counted where type = ${raw(String(type))})`
