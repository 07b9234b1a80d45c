import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { List, Paging } from '../../http/schema.ts'
import { DeviceAlertRule, deviceAlertRuleRow } from './device-alert-rule.ts'

export const listDeviceAlertRules = read({
  route: 'GET /device-alert-rules',
  id: 'listDeviceAlertRules',
  summary: 'List which device alerts make a task, and from which template',
  permission: 'view_devices',
  extension: true,
  query: Type.Object(Paging),
  response: List(DeviceAlertRule),

  handler: ({ db, actor, query }) =>
    db.page({
      row: deviceAlertRuleRow,
      as: 'r',
      from: sql`device_alert_rules r where r.organization_id = ${actor.organizationId}`,
      order: sql`r.created_at, r.id`,
      limit: query.limit,
      offset: query.offset,
    }),
})
