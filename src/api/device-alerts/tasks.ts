import { v7 } from 'uuid'
import { sql } from '../../db/sql.ts'
import type { Change } from '../../http/events.ts'
import { learnWords } from '../search/words.ts'
import { estimateOf, requirementsOf } from '../task-templates/task-template.ts'
import { addItems, type Requirement } from '../tasks/task.ts'
import type { AlertKind } from './device-alert.ts'
import type { Opened } from './reconcile.ts'

type Plan = {
  alertId: string
  kind: AlertKind
  deviceName: string | null
  templateId: string | null
  templateName: string
  templateDescription: string | null
  departmentId: string | null
  type: string | null
  propertyId: string | null
  propertyGroupId: string | null
  requiredSkillId: string | null
  estTime: string | null
  permissionToEnter: boolean
  priority: string
  requirements: Requirement[] | null
  earlierTaskId: string | null
}

/** Makes the tasks that the organization's rules ask for, one for each alert, all in the transaction that opened them. */
export async function makeTasks(trx: Change, organizationId: string, opened: readonly Opened[], now: Date): Promise<void> {
  if (opened.length === 0) return
  const plans = await planned(trx, organizationId, opened)
  if (plans.length === 0) return
  const alertOf = new Map(opened.map((alert) => [alert.id, alert]))
  const fates = plans.map((plan) => ({ alertId: plan.alertId, ...fateOf(plan) }))
  const tasks = plans.flatMap((plan, i) => {
    const { taskId, isNew } = fates[i]!
    if (!taskId || !isNew) return []
    return [{ ...plan, id: taskId, name: nameOf(plan), description: descriptionOf(plan, alertOf.get(plan.alertId)!) }]
  })
  if (tasks.length > 0) {
    await trx.run(sql`
      insert into tasks (organization_id, id, name, description, department_id, property_id, property_group_id, template_id,
        required_skill_id, est_time, permission_to_enter, priority, status, type, created_at, updated_at)
      select ${organizationId}, n.id, n.name, n.description, n."departmentId", n."propertyId", n."propertyGroupId", n."templateId",
        n."requiredSkillId", n."estTime", n."permissionToEnter", n.priority, 'not_started', n.type, ${now}, ${now}
      from json_to_recordset(${JSON.stringify(tasks)}) n (id uuid, name text, description text, "departmentId" uuid, "propertyId" uuid,
        "propertyGroupId" uuid, "templateId" uuid, "requiredSkillId" uuid, "estTime" numeric, "permissionToEnter" boolean,
        priority text, type text)`)
    learnWords(trx, organizationId, ...tasks.map(({ name }) => name))
    for (const { id, requirements } of tasks) addItems(trx, { organizationId, taskId: id, firstRank: 0, now }, requirements ?? [])
  }
  await trx.run(sql`
    update device_alerts a set task_id = n."taskId", task_problem = n.problem
    from json_to_recordset(${JSON.stringify(fates)}) n ("alertId" uuid, "taskId" uuid, problem text)
    where a.organization_id = ${organizationId} and a.id = n."alertId"`)
  for (const { id, name, departmentId, propertyId, templateId, alertId } of tasks) {
    const given = { name, departmentId, ...(propertyId ? { propertyId } : {}), templateId, deviceAlertId: alertId }
    const changes = Object.fromEntries(Object.entries(given).map(([field, to]) => [field, { to }]))
    trx.event({ type: 'task.created', entityType: 'task', entityId: id, changes })
  }
}

type Fate = { taskId: string | null; isNew: boolean; problem: 'no_template' | 'no_department' | null }

/** A device that comes and goes has one task until somebody has done it. */
function fateOf({ earlierTaskId, templateId, departmentId }: Plan): Fate {
  if (earlierTaskId) return { taskId: earlierTaskId, isNew: false, problem: null }
  if (!templateId) return { taskId: null, isNew: false, problem: 'no_template' }
  if (!departmentId) return { taskId: null, isNew: false, problem: 'no_department' }
  return { taskId: v7(), isNew: true, problem: null }
}

const nameOf = ({ templateName, deviceName }: Plan): string =>
  (deviceName ? `${templateName}: ${deviceName}` : templateName).slice(0, 500).toWellFormed()

function descriptionOf({ templateDescription, deviceName, kind }: Plan, { batteryLevel, message }: Opened): string {
  const device = deviceName ? `"${deviceName}"` : 'The device'
  const said = {
    offline: `${device} cannot be reached.`,
    low_battery: `The battery of ${deviceName ? device : 'the device'} is low${batteryLevel === null ? '' : ` (${batteryLevel} %)`}.`,
    jammed: `The bolt of ${deviceName ? device : 'the device'} is jammed.`,
    stale: `Nothing was seen of ${deviceName ? device : 'the device'} for a long time.`,
  }[kind]
  return [templateDescription, message ? `${said} ${message}` : said].filter(Boolean).join('\n\n').slice(0, 20_000)
}

/**
 * A task for each alert whose kind has a rule, with what it is made of. The department is one for maintenance that is not
 * archived: the template's own if it is one, else the oldest. Of several properties it is the one shown first at the device.
 */
const planned = (trx: Change, organizationId: string, opened: readonly Opened[]): Promise<Plan[]> =>
  trx.rows<Plan>(sql`
    select n.id as "alertId", n.kind, d.name as "deviceName", tt.id as "templateId", tt.name as "templateName",
      tt.description as "templateDescription", dep.id as "departmentId", dep.category as type, p.id as "propertyId",
      p.property_group_id as "propertyGroupId", tt.required_skill_id as "requiredSkillId",
      ${estimateOf(organizationId, sql`tt.id`, sql`p.id`)} as "estTime", coalesce(tt.permission_to_enter, false) as "permissionToEnter",
      coalesce(tt.priority, 'medium') as priority, ${requirementsOf(organizationId, sql`tt.id`)} as requirements,
      earlier.task_id as "earlierTaskId"
    from unnest(${opened.map(({ id }) => id)}::uuid[], ${opened.map(({ deviceId }) => deviceId)}::uuid[],
      ${opened.map(({ kind }) => kind)}::text[]) n (id, device_id, kind)
    join device_alert_rules r on r.organization_id = ${organizationId} and r.kind = n.kind
    join devices d on d.organization_id = ${organizationId} and d.id = n.device_id
    left join task_templates tt on tt.organization_id = ${organizationId} and tt.id = r.task_template_id and tt.deleted_at is null
    left join lateral (
      select * from departments where organization_id = ${organizationId} and archived_at is null
        and coalesce(is_maintenance, category = 'maintenance')
      order by id = tt.department_id desc nulls last, created_at, id limit 1) dep on true
    left join lateral (
      select p.id, p.property_group_id from device_properties l
      join properties p on p.organization_id = l.organization_id and p.id = l.property_id
      where l.organization_id = ${organizationId} and l.device_id = d.id order by l.property_id limit 1) p on true
    left join lateral (
      select a.task_id from device_alerts a join tasks t on t.organization_id = a.organization_id and t.id = a.task_id
      where a.organization_id = ${organizationId} and a.device_id = d.id and a.kind = n.kind and t.deleted_at is null
        and (t.status is null or t.status not in ('completed', 'cancelled'))
      order by a.opened_at desc limit 1) earlier on true
    order by n.id`)
