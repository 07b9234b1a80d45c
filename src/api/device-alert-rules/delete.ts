import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams, Success } from '../../http/schema.ts'

export const deleteDeviceAlertRule = write({
  route: 'DELETE /device-alert-rules/{id}',
  id: 'deleteDeviceAlertRule',
  summary: 'Let alerts of a kind make no tasks any more',
  description: 'Tasks that were made stay.',
  permission: 'manage_integrations',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Success,
  errors: ['device_alert_rule_not_found'],

  async handler({ trx, actor, params }) {
    const [gone] = await trx.rows<{ kind: string; taskTemplateId: string }>(sql`
      delete from device_alert_rules where organization_id = ${actor.organizationId} and id = ${params.id}
      returning kind, task_template_id as "taskTemplateId"`)
    if (!gone) throw new ApiError('device_alert_rule_not_found')
    const changes = { kind: { from: gone.kind }, taskTemplateId: { from: gone.taskTemplateId } }
    trx.event({
      type: 'device_alert_rule.deleted',
      entityType: 'device_alert_rule',
      entityId: params.id.toLowerCase(),
      changes,
    })
    return { success: true }
  },
})
