import { projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { List } from '../../http/schema.ts'
import { Portal } from './portal.ts'

export const listPortals = read({
  route: 'GET /portals',
  id: 'listPortals',
  summary: 'List the guest portal configurations',
  description: 'All of them, at most 1,000. Their ids are for assigning a portal to a property.',
  permission: 'view_guides',
  response: List(Portal),

  handler: ({ db, actor }) =>
    db.page({
      row: projection(Portal, 'p'),
      as: 'p',
      from: sql`portals p where p.organization_id = ${actor.organizationId}`,
      order: sql`p.created_at, p.id`,
      limit: 1000,
      offset: 0,
    }),
})
