import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { EmptyBody, IdParams } from '../../http/schema.ts'
import { lockMember, Member, memberRow } from './member.ts'
import { rightsRegained } from './privilege.ts'

export const reinstateMember = write({
  route: 'POST /members/{id}/reinstate',
  id: 'reinstateMember',
  summary: 'Take a suspended member back',
  description: `The member is active again, or invited if they never joined, with those of their role's own permissions that you have.
Keys that were revoked stay revoked. A member who is not suspended stays as they are.`,
  permission: 'manage_users',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Member,
  errors: ['member_not_found', 'member_outranks_you'],

  async handler({ trx, actor, params, now }) {
    const member = await lockMember(trx, actor, params.id)
    const permissions = rightsRegained(actor, member)
    const row = sql`m.organization_id = ${actor.organizationId} and m.id = ${member.id}`
    if (!member.deactivatedAt) return (await trx.one({ row: memberRow, from: sql`members m where ${row}` }))!

    const [reinstated] = await trx.rows<{ text: string }>(sql`
      update members m set deactivated_at = null, permissions = ${permissions}, updated_at = ${now}
      where ${row} returning ${memberRow} as text`)
    trx.event({
      type: 'member.reinstated',
      entityType: 'member',
      entityId: member.id,
      changes: {
        deactivatedAt: { from: member.deactivatedAt, to: null },
        permissions: { from: member.permissions, to: permissions },
      },
    })
    return reinstated!
  },
})
