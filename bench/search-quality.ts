import type { FastifyInstance } from 'fastify'
import Fuse from 'fuse.js'
import MiniSearch from 'minisearch'
import { type Entity, kinds, type SearchQuery, searchable, searchQueries } from '../test/search-queries.ts'
import { table } from './figures.ts'

type Engine = (text: string) => Promise<string[]> | string[]

/** How often each engine has what is wanted among its first five, in per cent, by kind of query. */
export async function quality(app: FastifyInstance, key: string, now: Date): Promise<string> {
  const entities = searchable(now)
  const queries = searchQueries(entities)
  const engines: Record<string, Engine> = {
    Steward: steward(app, key),
    MiniSearch: miniSearch(entities),
    'Fuse.js': fuse(entities),
  }
  const shares: Record<string, string[]> = {}
  for (const [name, engine] of Object.entries(engines)) shares[name] = await sharesOf(engine, queries)
  const counts = kinds.map((kind) => queries.filter((query) => query.kind === kind).length)
  return table([
    [`${queries.length} queries`, 'queries', ...Object.keys(engines)],
    ...kinds.map((kind, row) => [kind, String(counts[row]), ...Object.values(shares).map((share) => share[row]!)]),
  ])
}

async function sharesOf(engine: Engine, queries: readonly SearchQuery[]): Promise<string[]> {
  const hits = new Map<string, boolean[]>(kinds.map((kind) => [kind, []]))
  for (const { kind, text, wanted } of queries) {
    const first = (await engine(text)).slice(0, 5)
    hits.get(kind)!.push(first.some((id) => wanted.has(id)))
  }
  return kinds.map((kind) => {
    const all = hits.get(kind)!
    return ((100 * all.filter(Boolean).length) / all.length).toFixed(1)
  })
}

const steward =
  (app: FastifyInstance, key: string): Engine =>
  async (text) => {
    const answer = await app.inject({
      url: '/api/v1/search',
      query: { query: text, limit: '5' },
      headers: { authorization: `Bearer ${key}` },
    })
    return answer.json().data.items.map(({ entityId }: { entityId: string }) => entityId)
  }

const fold = (term: string) => term.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** As its documentation advises for a search box: folded terms, beginnings, and a fifth of a word's letters as typos. */
export function miniSearchOf(names: readonly string[]): MiniSearch {
  const index = new MiniSearch({ fields: ['name'], processTerm: (term) => fold(term) })
  index.addAll(names.map((name, id) => ({ id, name })))
  return index
}

export const miniSearchOptions = { prefix: true, fuzzy: 0.2, combineWith: 'AND' } as const

function miniSearch(entities: readonly Entity[]): Engine {
  const index = miniSearchOf(entities.map(({ names }) => names.join(' ')))
  return (text) => index.search(text, miniSearchOptions).map(({ id }) => entities[id as number]!.id)
}

function fuse(entities: readonly Entity[]): Engine {
  const index = new Fuse(entities, { keys: ['names'], ignoreDiacritics: true, ignoreLocation: true, threshold: 0.35 })
  return (text) => index.search(text, { limit: 5 }).map(({ item }) => item.id)
}
