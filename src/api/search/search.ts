import Type from 'typebox'
import { read } from '../../http/endpoint.ts'
import { AnyOf, Text } from '../../http/schema.ts'
import { find } from './find.ts'
import { asWritten, forgiven, readQuery, type Wanted } from './query.ts'
import { SearchResult } from './search-item.ts'
import { entityTypes, sources } from './sources.ts'

const nothing = { items: [], total: 0 }

export const search = read({
  route: 'GET /search',
  id: 'search',
  summary: 'Find anything by its name',
  description: `Whatever the case, the accents and the order of the words; the beginning of a word will do. Where nothing is found so, one typo is forgiven in a
word of 4 to 7 letters and two in a longer one. Exact names come first, then names with exactly these words, then beginnings, then
what was meant. Finds are of the types that the caller may view. For a user \`entityId\` is the user id, which assigning a task takes.`,
  permission: null,
  query: Type.Object({
    query: Text({ minLength: 1, maxLength: 200, description: 'A name, or some words of one.' }),
    entityTypes: AnyOf(entityTypes, 'Only entities of these types.'),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'How many finds to answer.' })),
  }),
  response: SearchResult,

  async handler({ db, actor, query: { query, entityTypes, limit = 20 } }) {
    const { organizationId, permissions } = actor
    const visible = sources.filter(
      ({ type, permission }) => permissions.has(permission) && (entityTypes === undefined || entityTypes.includes(type)),
    )
    if (visible.length === 0) return nothing
    const look = async (wanted: Wanted | undefined) => {
      const found = wanted && (await db.one(find(organizationId, visible, wanted, limit)))
      return found?.text === JSON.stringify(nothing) ? undefined : found
    }
    const read = await readQuery(db, organizationId, query)
    if (read.words.length === 0) return nothing
    const found = (await look(asWritten(organizationId, read))) ?? (await look(forgiven(organizationId, read)))
    if (found) return found
    // Words that are known, but not together: each may be a typo of another.
    const readAgain = await readQuery(db, organizationId, query, true)
    return (await look(forgiven(organizationId, readAgain))) ?? nothing
  },
})
