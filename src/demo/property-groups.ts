import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { demoId, type Stamped, stamped } from './rows.ts'

export type PropertyGroup = RecordOf<'property-groups'> & Stamped
export type Portal = RecordOf<'portals'> & Stamped

export const groupKeys = ['lisboa', 'porto', 'algarve', 'madeira', 'sevilla', 'barcelona'] as const
export type GroupKey = (typeof groupKeys)[number]

export const propertyGroupId = (key: GroupKey): string => demoId('property-groups', groupKeys.indexOf(key))

const names: Record<GroupKey, [name: string, zone: string]> = {
  lisboa: ['Lisboa', 'Europe/Lisbon'],
  porto: ['Porto e Douro', 'Europe/Lisbon'],
  algarve: ['Algarve', 'Europe/Lisbon'],
  madeira: ['Madeira', 'Atlantic/Madeira'],
  sevilla: ['Sevilla', 'Europe/Madrid'],
  barcelona: ['Barcelona', 'Europe/Madrid'],
}

export const zoneOf = (key: GroupKey): string => names[key][1]

const day = 24 * 60

export function propertyGroups(calendar: Calendar): PropertyGroup[] {
  return stamped<RecordOf<'property-groups'>>(
    'property-groups',
    calendar,
    groupKeys.map((key, n) => ({ name: names[key][0], timezone: names[key][1], made: (-1150 + n * 110) * day })),
  )
}

/** Houses take the portal of their country; those of Madeira have one of their own. Null is the default portal. */
export function portalOf(group: GroupKey | null): string | null {
  if (group === 'madeira') return demoId('portals', 1)
  if (group === 'sevilla' || group === 'barcelona') return demoId('portals', 2)
  return group === 'lisboa' ? demoId('portals', 0) : null
}

export function portals(calendar: Calendar): Portal[] {
  return stamped<RecordOf<'portals'>>('portals', calendar, [
    { name: 'Casa Aurora', isDefault: true, supportEmail: 'ola@casa-aurora.example', made: -1100 * day },
    { name: 'Casa Aurora Madeira', isDefault: false, supportEmail: 'madeira@casa-aurora.example', made: -780 * day },
    { name: 'Casa Aurora España', isDefault: false, supportEmail: 'hola@casa-aurora.example', made: -650 * day },
    { name: 'Owner stays', isDefault: false, supportEmail: null, made: -400 * day },
    { name: null, isDefault: false, supportEmail: null, made: -12 * day },
  ])
}
