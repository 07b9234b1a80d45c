import Type, { type Static } from 'typebox'
import { NullableString, OneOf, Resource } from '../../http/schema.ts'
import { entityTypes } from './sources.ts'

/** Contract, section 2. */
export const SearchItem = Resource('SearchItem', {
  entityId: NullableString,
  entityType: OneOf(entityTypes),
  name: Type.String(),
  searchIndexId: Type.String({ description: 'Stable for an entity.' }),
  subtitle: NullableString,
})

export const SearchResult = Type.Object({
  items: Type.Array(SearchItem),
  total: Type.Integer({ minimum: 0, description: 'How many entities were found, whatever the limit.' }),
})
export type SearchResult = Static<typeof SearchResult>
