import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams } from '../../http/schema.ts'
import { lockMember, Member, memberRow, refuseUnlessOutranked } from './member.ts'

export const activateMember = write({
  route: 'POST /members/{id}/activate',
  id: 'activateMember',
  summary: 'Let an invited member join',
  description: 'From then on the keys that act as the member are accepted. A member who has joined stays as they are.',
  permission: 'manage_users',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Member,
  errors: ['member_not_found', 'member_outranks_you', 'member_inactive'],

  async handler({ trx, actor, params, now }) {
    const member = await lockMember(trx, actor, params.id)
    refuseUnlessOutranked(actor, member)
    if (member.deactivatedAt) throw new ApiError('member_inactive')
    const row = sql`m.organization_id = ${actor.organizationId} and m.id = ${member.id}`
    if (member.joinedAt) return (await trx.one({ row: memberRow, from: sql`members m where ${row}` }))!

    const [joined] = await trx.rows<{ text: string }>(sql`
      update members m set joined_at = ${now}, updated_at = ${now} where ${row} returning ${memberRow} as text`)
    const changes = { joinedAt: { from: null, to: now } }
    trx.event({ type: 'member.joined', entityType: 'member', entityId: member.id, changes })
    return joined!
  },
})
