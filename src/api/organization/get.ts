import { projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { Organization } from './organization.ts'

export const getOrganization = read({
  route: 'GET /organization',
  id: 'getOrganization',
  summary: "Read the organization of the caller's key",
  permission: 'view_organization',
  response: Organization,

  async handler({ db, actor }) {
    const organization = await db.one({
      row: projection(Organization, 'o'),
      from: sql`organizations o where o.id = ${actor.organizationId}`,
    })
    return organization!
  },
})
