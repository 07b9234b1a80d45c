import Type from 'typebox'
import { v7 } from 'uuid'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { OneOf, Uuid } from '../../http/schema.ts'
import { alertKinds } from '../device-alerts/device-alert.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { DeviceAlertRule, deviceAlertRuleRow } from './device-alert-rule.ts'

export const setDeviceAlertRule = write({
  route: 'POST /device-alert-rules',
  id: 'setDeviceAlertRule',
  summary: 'Let alerts of a kind make a task from a template',
  description: `The rule that the kind has is changed; where it has none, one is made. It holds for alerts that open from now on. The task comes
with the alert, in a department for maintenance: the template's own if it is one, else the oldest.`,
  permission: 'manage_integrations',
  extension: true,
  body: Type.Object({ kind: OneOf(alertKinds), taskTemplateId: Uuid }, { additionalProperties: false }),
  response: DeviceAlertRule,
  errors: ['invalid_reference', 'task_template_deleted'],

  async handler({ trx, actor: { organizationId }, body: { kind, taskTemplateId }, now }) {
    const ofKind = sql`organization_id = ${organizationId} and kind = ${kind}`
    const [wrong, [template], , [rule]] = await Promise.all([
      trx.rows<WrongReference>(wrongReferences([reference('taskTemplateId', 'task_templates', organizationId, taskTemplateId)])),
      trx.rows<{ isDeleted: boolean }>(sql`select deleted_at is not null as "isDeleted" from task_templates
        where organization_id = ${organizationId} and id = ${taskTemplateId}`),
      // Two who set the same kind at once wait for each other, also where there is no rule yet.
      trx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${`device alert rule ${organizationId} ${kind}`}, 0))`),
      trx.rows<{ id: string; from: string }>(
        sql`select id, task_template_id as "from" from device_alert_rules where ${ofKind} for update`,
      ),
    ])
    refuseWrong(wrong)
    if (template?.isDeleted) throw new ApiError('task_template_deleted', { field: 'taskTemplateId' })
    const to = taskTemplateId.toLowerCase()
    const id = rule?.id ?? v7()
    if (!rule) {
      await trx.run(sql`insert into device_alert_rules (organization_id, id, kind, task_template_id, created_at, updated_at)
        values (${organizationId}, ${id}, ${kind}, ${to}, ${now}, ${now})`)
      const changes = { kind: { to: kind }, taskTemplateId: { to } }
      trx.event({ type: 'device_alert_rule.created', entityType: 'device_alert_rule', entityId: id, changes })
    } else if (rule.from !== to) {
      await trx.run(sql`update device_alert_rules set task_template_id = ${to}, updated_at = ${now} where ${ofKind}`)
      const changes = { taskTemplateId: { from: rule.from, to } }
      trx.event({ type: 'device_alert_rule.updated', entityType: 'device_alert_rule', entityId: id, changes })
    }
    return (await trx.one({
      row: deviceAlertRuleRow,
      from: sql`device_alert_rules r where r.organization_id = ${organizationId} and r.id = ${id}`,
    }))!
  },
})
