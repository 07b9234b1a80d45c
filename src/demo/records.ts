import type { Records } from '../transfer/records.ts'
import { calendarOf } from './calendar.ts'
import { costItems } from './cost-items.ts'
import { departments } from './departments.ts'
import { devices, integrationAccounts } from './devices.ts'
import { guests } from './guests.ts'
import { instructions } from './instructions.ts'
import { members, userGroups } from './members.ts'
import { properties } from './properties.ts'
import { portals, propertyGroups } from './property-groups.ts'
import { propertyStatuses, statusValues } from './property-statuses.ts'
import { reservations } from './reservations.ts'
import { taskItems } from './task-items.ts'
import { taskTemplates } from './task-templates.ts'
import { tasks } from './tasks.ts'
import { breakDefinitions, timeEntries } from './time-entries.ts'

/**
 * The records of the demo organization, by file. They follow from `now` alone: ids never change, and dates keep their
 * distance from today.
 */
export function demoRecords(now: Date): Required<Records> {
  const calendar = calendarOf(now)
  const people = members(calendar)
  const things = devices(calendar)
  const visitors = guests(calendar)
  const booked = reservations(calendar, visitors)
  const templates = taskTemplates(calendar)
  const planned = tasks(calendar, booked, templates.byName)
  const clocked = timeEntries(calendar, people, planned)
  const statuses = propertyStatuses(calendar, booked)
  return {
    'user-groups': userGroups(calendar),
    departments: departments(calendar),
    'property-groups': propertyGroups(calendar),
    members: people,
    portals: portals(calendar),
    properties: properties(calendar).map((property) => ({ ...property, ...statuses.now.get(property.id) })),
    'property-status-values': statusValues,
    'integration-accounts': integrationAccounts(calendar),
    devices: things,
    guests: visitors,
    reservations: booked.map(({ reservation }) => reservation),
    'task-templates': templates.templates,
    'task-template-groups': templates.groups,
    'checklist-items': templates.items,
    'task-rates': templates.rates,
    tasks: planned.map(({ task }) => task),
    'task-items': taskItems(calendar, planned),
    'break-definitions': breakDefinitions(calendar),
    'time-entries': clocked.map(({ entry }) => entry),
    'cost-items': costItems(calendar, clocked, planned),
    instructions: instructions(calendar, things),
    'property-status-changes': statuses.changes,
  }
}
