import Type from 'typebox'
import { projection } from '../../db/projection.ts'
import { and, oneOf, sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Instant, List, Paging, Texts, Uuid } from '../../http/schema.ts'
import { Event } from './event.ts'

export const listEvents = read({
  route: 'GET /events',
  id: 'listEvents',
  summary: 'List what changed: the audit log',
  description: `Oldest first. To follow along without missing anything, start with
\`after=00000000-0000-0000-0000-000000000000\` and go on with the id of the last event you have: with \`after\`, events come in
an order that never changes, and only once nothing can come before them any more.`,
  permission: 'view_logs',
  extension: true,
  query: Type.Object({
    after: Type.Optional(Uuid),
    createdFrom: Instant('At this instant or later.'),
    createdBefore: Instant('Before this instant.'),
    entityId: Type.Optional(Uuid),
    entityTypes: Texts('Events of one of these kinds of thing.'),
    types: Texts('Events of one of these types.'),
    ...Paging,
  }),
  response: List(Event),

  handler: ({ db, actor, query }) => {
    const organization = sql`e.organization_id = ${actor.organizationId}`
    return db.page({
      row: projection(Event, 'e'),
      as: 'e',
      from: sql`events e where ${and(
        organization,
        query.after &&
          sql`e.transaction_id < pg_snapshot_xmin(pg_current_snapshot()) and (e.transaction_id, e.id) > (
            select coalesce((select c.transaction_id from events c
            where c.organization_id = ${actor.organizationId} and c.id = ${query.after}), '0'), ${query.after}::uuid)`,
        query.createdFrom && sql`e.created_at >= ${query.createdFrom}`,
        query.createdBefore && sql`e.created_at < ${query.createdBefore}`,
        query.entityId && sql`e.entity_id = ${query.entityId}`,
        query.entityTypes && oneOf('e.entity_type', query.entityTypes),
        query.types && oneOf('e.type', query.types),
      )}`,
      order: query.after ? sql`e.transaction_id, e.id` : sql`e.created_at, e.id`,
      limit: query.limit,
      offset: query.offset,
    })
  },
})
