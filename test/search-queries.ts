import { type Random, random } from '../src/demo/random.ts'
import { demoRecords } from '../src/demo/records.ts'

export const kinds = ['exact', 'prefix', 'swapped words', 'no accents', 'one typo', 'two typos', 'partial code'] as const
export type Kind = (typeof kinds)[number]

/** What may be found, and under which names. */
export type Entity = { id: string; names: string[] }
/** `wanted`: the ids that answer the query, all those of the same name. */
export type SearchQuery = { kind: Kind; text: string; wanted: ReadonlySet<string> }

/** Everything of the demo organization that a search finds, by the id that it answers. */
export function searchable(now: Date): Entity[] {
  const records = demoRecords(now)
  const entity = (id: string, ...names: (string | null | undefined)[]): Entity => ({
    id,
    names: names.filter((name) => !!name) as string[],
  })
  return [
    ...records.members.map((row) => entity(row.userId!, `${row.firstName ?? ''} ${row.lastName ?? ''}`.trim(), row.email)),
    ...records['property-groups'].map((row) => entity(row.id, row.name)),
    ...records.properties.map((row) => entity(row.id, row.name, row.nickname)),
    ...records.reservations.map((row) =>
      entity(row.id, `${row.guestFirstName ?? ''} ${row.guestLastName ?? ''}`.trim(), row.confirmationCode),
    ),
    ...records.devices.map((row) => entity(row.id, row.name)),
    ...records.tasks.filter((row) => !row.deletedAt).map((row) => entity(row.id, row.name)),
  ].filter(({ names }) => names.length > 0)
}

/** The fixed set: the same queries each time, several for every kind, of names drawn from all that may be found. */
export function searchQueries(entities: readonly Entity[], perKind = 200): SearchQuery[] {
  const byName = Map.groupBy(entities, ({ names }) => names[0]!)
  const names = [...byName.keys()].toSorted()
  const codes = entities.flatMap(({ id, names }) => (/^[A-Z0-9]{8,}$/.test(names[1] ?? '') ? [{ id, code: names[1]! }] : []))
  const wantedBy = (name: string) => new Set(byName.get(name)!.map(({ id }) => id))
  return kinds.flatMap((kind) => {
    const queries = new Map<string, SearchQuery>()
    for (let row = 0; row < perKind * 20 && queries.size < perKind; row++) {
      const draw = random(`search ${kind}`, row)
      if (kind === 'partial code') {
        const { id, code } = draw.pick(codes)
        queries.set(code, { kind, text: code.slice(0, draw.int(6, code.length - 1)), wanted: new Set([id]) })
        continue
      }
      const name = draw.pick(names)
      const text = ways[kind](name, draw)
      if (text) queries.set(name, { kind, text, wanted: wantedBy(name) })
    }
    return [...queries.values()]
  })
}

/** A name as people write it, or undefined where it cannot be written so. */
const ways: Record<Exclude<Kind, 'partial code'>, (name: string, draw: Random) => string | undefined> = {
  exact: (name) => name,
  prefix: (name, draw) => {
    const last = name.split(' ').at(-1)!
    return last.length > 3 ? name.slice(0, name.length - draw.int(1, last.length - 3)) : undefined
  },
  'swapped words': (name) => {
    const [first, ...others] = name.split(' ')
    return others.length > 0 ? [...others, first].join(' ') : undefined
  },
  'no accents': (name) => {
    const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '')
    return plain === name.normalize('NFC') || /[^\p{ASCII}]/u.test(plain) ? undefined : plain
  },
  'one typo': (name, draw) => misspelled(name, 4, 1, draw),
  'two typos': (name, draw) => misspelled(name, 8, 2, draw),
}

/** One word of at least so many letters gets so many typos, each at a place of its own. */
function misspelled(name: string, letters: number, typos: number, draw: Random): string | undefined {
  const words = name.split(' ')
  const long = words.flatMap((word, place) => (new RegExp(`^\\p{L}{${letters},}$`, 'u').test(word) ? [place] : []))
  if (long.length === 0) return undefined
  const place = draw.pick(long)
  let word = words[place]!
  const half = Math.floor(word.length / typos)
  for (let typo = typos - 1; typo >= 0; typo--) word = mistype(word, draw.int(typo * half, (typo + 1) * half - 2), draw)
  return word === words[place] ? undefined : words.with(place, word).join(' ')
}

/** A letter left out, doubled by another, mistaken, or swapped with the next. */
function mistype(word: string, at: number, draw: Random): string {
  const other = draw.pick([...'abcdefghijklmnopqrstuvwxyz'])
  const [before, letter, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)]
  return draw.pick([
    before + after,
    before + other + letter + after,
    before + other + after,
    before + after[0]! + letter + after.slice(1),
  ])
}
