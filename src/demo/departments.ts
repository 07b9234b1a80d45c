import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { demoId, type Stamped, stamped } from './rows.ts'

export type Department = RecordOf<'departments'> & Stamped

const keys = [
  'portoDesk',
  'housekeeping',
  'maintenance',
  'inspections',
  'guests',
  'laundry',
  'pools',
  'pests',
  'concierge',
  'logistics',
  'owners',
  'projects',
] as const
export type DepartmentKey = (typeof keys)[number]

/** Departments by what they are called here; their rows are made in this order. */
export const departmentId = (key: DepartmentKey): string => demoId('departments', keys.indexOf(key))

type Text = Omit<RecordOf<'departments'>, 'id' | 'createdAt' | 'updatedAt'>
/** The categories of section 2 of the contract, and one department without any. */
export const departmentTexts: Record<DepartmentKey, Text> = {
  portoDesk: {
    name: 'Front desk Porto',
    description: 'The desk in Rua das Flores, closed since guests let themselves in.',
    category: 'guest_experience',
    color: '#9E9E9E',
  },
  housekeeping: {
    name: 'Housekeeping',
    description: 'Turnovers, mid-stay cleans and deep cleans.',
    category: 'cleans',
    color: '#4FB286',
    isMaintenance: false,
    autoAssignEnabled: true,
    assignmentMethod: 'round_robin',
    backupAssignmentMethod: 'least_busy',
    blockingPriority: 'high',
    translations: {
      pt: { name: 'Limpezas', description: 'Limpezas de saída, intermédias e profundas.' },
      es: { name: 'Limpieza', description: 'Limpiezas de salida, intermedias y a fondo.' },
      fr: { name: 'Ménage', description: 'Ménages de départ, en cours de séjour et à fond.' },
      de: { name: 'Reinigung', description: 'End-, Zwischen- und Grundreinigungen.' },
      bg: { name: 'Почистване' },
      ar: { name: 'التنظيف' },
    },
  },
  maintenance: {
    name: 'Maintenance',
    description: 'Repairs, from the dripping tap to the broken boiler.',
    category: 'maintenance',
    color: '#E07A3F',
    isMaintenance: true,
    autoAssignEnabled: true,
    assignmentMethod: 'by_skill',
    backupAssignmentMethod: 'manager',
    blockingPriority: 'urgent',
    translations: {
      pt: { name: 'Manutenção', description: 'Reparações, da torneira que pinga à caldeira avariada.' },
      es: { name: 'Mantenimiento', description: 'Reparaciones de todo tipo.' },
      ja: { name: 'メンテナンス', description: '修理全般' },
      el: { name: 'Συντήρηση' },
    },
  },
  inspections: {
    name: 'Inspections',
    description: 'A second pair of eyes before the guest arrives.',
    category: 'inspections',
    color: '#3D6FB4',
    isMaintenance: false,
    autoAssignEnabled: false,
    assignmentMethod: 'manual',
    blockingPriority: 'medium',
    translations: {
      pt: { name: 'Inspeções', description: 'Um segundo olhar antes de o hóspede chegar.' },
      cs: { name: 'Kontroly' },
    },
  },
  guests: {
    name: 'Guest experience',
    description: 'Welcomes, questions during the stay, things left behind.',
    category: 'guest_experience',
    color: '#C2518E',
    isMaintenance: false,
    autoAssignEnabled: true,
    assignmentMethod: 'least_busy',
    translations: {
      pt: { name: 'Experiência do hóspede' },
      it: { name: 'Accoglienza', description: 'Benvenuto e assistenza agli ospiti.' },
      zh: { name: '宾客体验', description: '迎接客人并解答疑问' },
      he: { name: 'חוויית אורח' },
    },
  },
  laundry: {
    name: 'Laundry',
    description: 'Linen and towels, and who drives them where.',
    category: 'cleans',
    color: '#7BC4C4',
    isMaintenance: false,
    autoAssignEnabled: false,
    assignmentMethod: 'manual',
    translations: { pt: { name: 'Lavandaria' }, es: { name: 'Lavandería' }, nl: { description: 'Linnengoed en handdoeken.' } },
  },
  pools: {
    name: 'Pools and gardens',
    description: 'Water, lawns and lemon trees.',
    category: 'maintenance',
    color: '#2F9E9E',
    isMaintenance: true,
    autoAssignEnabled: true,
    assignmentMethod: 'round_robin',
    translations: { pt: { name: 'Piscinas e jardins' }, es: { name: 'Piscinas y jardines' } },
  },
  pests: {
    name: 'Pest control',
    description: 'Now bought in, see Maintenance.',
    category: 'maintenance',
    color: '#9E9E9E',
    isMaintenance: true,
  },
  concierge: {
    name: 'Concierge',
    description: 'Transfers, tables, tickets.',
    category: 'guest_experience',
    color: '#8E6CC9',
    isMaintenance: false,
    autoAssignEnabled: false,
  },
  logistics: {
    name: 'Logistics',
    description: 'Vans, keys and consumables.',
    category: 'other',
    color: '#8D7B68',
    isMaintenance: false,
  },
  owners: { name: 'Owner relations', description: 'What the owners of the houses ask for.', category: 'other', color: '#B08D57' },
  projects: { name: 'Special projects' },
}

const day = 24 * 60
const made = [-1140, -1130, -1129, -1100, -1090, -900, -720, -700, -610, -540, -365, -75]
const archived: Partial<Record<DepartmentKey, number>> = { portoDesk: -120, pests: -200 }

export const isArchived = (key: DepartmentKey): boolean => key in archived

export function departments(calendar: Calendar): Department[] {
  return stamped<RecordOf<'departments'>>(
    'departments',
    calendar,
    keys.map((key, n) => {
      const closed = archived[key]
      return {
        ...departmentTexts[key],
        archivedAt: closed === undefined ? null : calendar.minute(closed * day),
        made: made[n]! * day + 600,
        changed: (closed ?? Math.min(made[n]! + 200, -20)) * day,
      }
    }),
  )
}
