import { projection } from '../../db/projection.ts'
import { DateTime, OneOf, Resource, Uuid } from '../../http/schema.ts'
import { alertKinds } from '../device-alerts/device-alert.ts'

export const DeviceAlertRule = Resource(
  'DeviceAlertRule',
  { id: Uuid, kind: OneOf(alertKinds), taskTemplateId: Uuid, createdAt: DateTime, updatedAt: DateTime },
  'Alerts of this kind make a task from this template. An organization has one rule for a kind.',
)

/** A rule under the alias `r`. */
export const deviceAlertRuleRow = projection(DeviceAlertRule, 'r')
