import type { Static } from 'typebox'
import type { RecordFile } from './record.ts'
import { breakDefinitions, costItems, timeEntries } from './records/costs.ts'
import { devices, integrationAccounts } from './records/devices.ts'
import { departments, members, userGroups } from './records/people.ts'
import { portals, properties, propertyGroups, propertyStatusChanges, propertyStatusValues } from './records/places.ts'
import { guests, instructions, reservations } from './records/stays.ts'
import { checklistItems, taskRates, taskTemplateGroups, taskTemplates } from './records/task-templates.ts'
import { taskItems, tasks } from './records/tasks.ts'

/**
 * What is imported and exported, one file `<name>.jsonl` each, in the order in which rows can be written: a file refers
 * only to those above it. Not transferred: API keys, events, idempotency records, device commands, and alerts
 * with their rules.
 */
export const recordFiles = {
  'user-groups': userGroups,
  departments,
  'property-groups': propertyGroups,
  members,
  portals,
  properties,
  'property-status-values': propertyStatusValues,
  'integration-accounts': integrationAccounts,
  devices,
  guests,
  reservations,
  'task-templates': taskTemplates,
  'task-template-groups': taskTemplateGroups,
  'checklist-items': checklistItems,
  'task-rates': taskRates,
  tasks,
  'task-items': taskItems,
  'break-definitions': breakDefinitions,
  'time-entries': timeEntries,
  'cost-items': costItems,
  instructions,
  'property-status-changes': propertyStatusChanges,
} as const satisfies Record<string, RecordFile>

export type FileName = keyof typeof recordFiles

/** One line of a file: `RecordOf<'properties'>`. */
export type RecordOf<F extends FileName> = Static<(typeof recordFiles)[F]['schema']>

/** Records in memory, by file. */
export type Records = { readonly [F in FileName]?: readonly RecordOf<F>[] }

export const fileNames = Object.keys(recordFiles) as FileName[]

/** Any file, where which one is known only at run time. */
export const recordFile = (name: FileName): RecordFile => recordFiles[name]
