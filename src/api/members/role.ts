import { isDeepStrictEqual } from 'node:util'
import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { permissions } from '../../http/permissions.ts'
import { IdParams, OneOf, Resource, Uuid } from '../../http/schema.ts'
import { lockMember, roles } from './member.ts'
import { rightsAfter, rightsInput } from './privilege.ts'

export const MemberRole = Resource('MemberRole', {
  userId: Uuid,
  role: OneOf(roles),
  permissions: Type.Array(OneOf(permissions)),
})

export const changeMemberRole = write({
  route: 'POST /members/{id}/role',
  id: 'changeMemberRole',
  summary: 'Change the role and the permissions of a member',
  description: `Replaces the permissions. You may change only members who rank below you, and give no role above your own and no
permission that you, through this key, lack; owners may change anyone. A suspended member is to be reinstated first.`,
  permission: 'manage_users',
  params: IdParams,
  body: Type.Object(rightsInput, { additionalProperties: false }),
  response: MemberRole,
  errors: [
    'member_not_found',
    'member_outranks_you',
    'role_above_yours',
    'permission_not_yours',
    'member_inactive',
    'last_owner',
  ],

  async handler({ trx, actor, params, body, now }) {
    const member = await lockMember(trx, actor, params.id)
    const rights = rightsAfter(actor, member, body)
    const changed = (['role', 'permissions'] as const).filter((field) => !isDeepStrictEqual(member[field], rights[field]))
    if (changed.length > 0) {
      await trx.run(sql`update members set role = ${rights.role}, permissions = ${rights.permissions}, updated_at = ${now}
        where organization_id = ${actor.organizationId} and id = ${member.id}`)
      const changes = Object.fromEntries(changed.map((field) => [field, { from: member[field], to: rights[field] }]))
      trx.event({ type: 'member.role_changed', entityType: 'member', entityId: member.id, changes })
    }
    return { userId: member.userId, ...rights }
  },
})
