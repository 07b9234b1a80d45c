import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Member, memberRow, namedBy } from './member.ts'

export const getMember = read({
  route: 'GET /members/{id}',
  id: 'getMember',
  summary: 'Read one team member, by member id or user id',
  permission: 'view_users',
  extension: true,
  params: IdParams,
  response: Member,
  errors: ['member_not_found'],

  async handler({ db, actor, params }) {
    const member = await db.one({
      row: memberRow,
      from: sql`members m where m.organization_id = ${actor.organizationId} and ${namedBy(params.id)}`,
    })
    if (!member) throw new ApiError('member_not_found')
    return member
  },
})
