import { sql } from '../../db/sql.ts'
import { placesOf } from './places-of.ts'
import { complain, type Import, isImported, recordsOf, unique } from './rule.ts'

/** A checklist item belongs to the template of its group. */
export async function checkChecklistItems(given: Import): Promise<void> {
  const items = recordsOf(given, 'checklist-items')
  const templates = new Map(recordsOf(given, 'task-template-groups').map(({ value }) => [value.id, value.templateId]))
  const others = [...new Set(items.map(({ value }) => value.groupId))].filter((id) => !templates.has(id))
  if (others.length > 0) {
    const stored = await given.trx.rows<{ id: string; templateId: string }>(sql`
      select id, template_id as "templateId" from task_template_groups
      where organization_id = ${given.organizationId} and id = any(${others})`)
    for (const { id, templateId } of stored) if (!isImported(given, 'task-template-groups', id)) templates.set(id, templateId)
  }
  for (const { line, value } of items) {
    const expected = templates.get(value.groupId)
    if (expected !== undefined && expected !== value.templateId)
      complain(given, 'checklist-items', line, 'templateId', 'inconsistent', `must be that of its group, ${expected}`)
  }
}

/** A template has one rate for every property, and one for each. */
export async function checkTaskRates(given: Import): Promise<void> {
  const key = (templateId: string, propertyId: string | null | undefined) => `${templateId} ${propertyId ?? ''}`
  const rates = unique(given, 'task-rates', 'propertyId', (value) => key(value.templateId, value.propertyId))
  if (rates.size === 0) return
  const templates = [...new Set([...rates.values()].map(({ value }) => value.templateId))]
  const stored = await given.trx.rows<{ id: string; templateId: string; propertyId: string | null }>(sql`
    select id, template_id as "templateId", property_id as "propertyId" from task_rates
    where organization_id = ${given.organizationId} and template_id = any(${templates})`)
  for (const { id, templateId, propertyId } of stored) {
    const entry = rates.get(key(templateId, propertyId))
    if (entry && !isImported(given, 'task-rates', id))
      complain(given, 'task-rates', entry.line, 'propertyId', 'taken', `is that of rate ${id} of the same template already`)
  }
}

/** The property group of a task that was left out is the property's. */
export async function fillTasks(given: Import): Promise<void> {
  const tasks = recordsOf(given, 'tasks').filter(({ value }) => value.propertyId && value.propertyGroupId === undefined)
  const places = await placesOf(given, tasks)
  for (const { value } of tasks) value.propertyGroupId = places.get(value.propertyId!)?.propertyGroupId ?? null
}

/** An entry ends after it starts; its whole minutes are worked out where they were left out; breaks name their kind. */
export function checkTimeEntries(given: Import): void {
  for (const { line, value } of recordsOf(given, 'time-entries')) {
    const wrong = (field: keyof typeof value, message: string) =>
      complain(given, 'time-entries', line, field, 'inconsistent', message)
    const isBreak = value.type === 'break'
    if (isBreak && !value.breakDefinitionId) wrong('breakDefinitionId', 'is required for a break')
    if (!isBreak && value.breakDefinitionId) wrong('breakDefinitionId', 'must be left out unless type is break')
    if (!value.endTime) {
      if (value.durationMinutes != null) wrong('durationMinutes', 'must be left out while the entry has no endTime')
      continue
    }
    const minutes = (Date.parse(value.endTime) - Date.parse(value.startTime)) / 60_000
    if (minutes < 0) wrong('endTime', 'must not be before startTime')
    else value.durationMinutes ??= Math.round(minutes)
    if ((value.durationMinutes ?? 0) > 2 ** 31 - 1) wrong('endTime', 'is too long after startTime')
  }
}
