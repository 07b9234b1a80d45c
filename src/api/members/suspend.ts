import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams, Success } from '../../http/schema.ts'
import { lockMember, refuseUnlessOutranked } from './member.ts'

export const suspendMember = write({
  route: 'POST /members/{id}/suspend',
  id: 'suspendMember',
  summary: 'Deactivate a member and revoke all of their access',
  description: 'Clears the permissions and revokes every key that acts as the member. A suspended member stays as they are.',
  permission: 'manage_users',
  params: IdParams,
  body: EmptyBody,
  response: Success,
  errors: ['member_not_found', 'last_owner', 'member_outranks_you'],

  async handler({ trx, actor, params, now }) {
    const member = await lockMember(trx, actor, params.id)
    refuseUnlessOutranked(actor, member)
    if (member.deactivatedAt) return { success: true }
    if (member.isLastOwner) throw new ApiError('last_owner')
    await trx.run(sql`update members set deactivated_at = ${now}, permissions = '{}', updated_at = ${now}
      where organization_id = ${actor.organizationId} and id = ${member.id}`)
    await trx.run(sql`update api_keys set revoked_at = ${now}
      where organization_id = ${actor.organizationId} and member_id = ${member.id} and revoked_at is null`)
    trx.event({
      type: 'member.suspended',
      entityType: 'member',
      entityId: member.id,
      changes: { deactivatedAt: { from: null, to: now }, permissions: { from: member.permissions, to: [] } },
    })
    return { success: true }
  },
})
