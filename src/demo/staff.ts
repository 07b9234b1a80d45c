import type { Permission } from '../http/permissions.ts'
import type { RecordOf } from '../transfer/records.ts'
import type { DepartmentKey } from './departments.ts'
import type { GroupKey } from './property-groups.ts'

export type Person = {
  /** Null for someone who was invited by e-mail and has not said their name yet. */
  name: string | null
  role: RecordOf<'members'>['role']
  /** Their own where it is not made of the name; null for none. */
  email?: string | null
  /** Has joined unless said. */
  state?: 'invited' | 'left'
  external?: true
  /** Those of the role unless given. */
  permissions?: readonly Permission[]
  manages?: readonly DepartmentKey[]
  works?: readonly DepartmentKey[]
  /** Property groups they may work in; all of them unless given. */
  groups?: readonly GroupKey[]
  userGroups?: readonly string[]
}

const planning: Permission[] = [
  'view_dashboard',
  'view_tasks',
  'modify_tasks',
  'view_users',
  'view_shifts',
  'manage_shifts',
  'view_properties',
]
const codes: Permission[] = [
  'view_devices',
  'control_device',
  'view_lock_code',
  'manage_lock_code',
  'view_properties',
  'private_code',
]
const books: Permission[] = [
  'view_dashboard',
  'view_analytics',
  'view_payments',
  'approve_time_entries',
  'view_reservations',
  'view_organization',
]

const keys = ['Key holders']
const keysAndAid = ['Key holders', 'First aid']

/** Everyone who works or worked for Casa Aurora, in the order in which they came. All of them are invented. */
export const staff: readonly Person[] = [
  { name: 'Inês Carvalho', role: 'owner', email: 'ines@casa-aurora.example', manages: ['owners'], userGroups: keys },
  { name: 'Henrique Salema', role: 'owner', state: 'left', manages: ['owners', 'portoDesk'] },
  { name: 'Marta Figueiredo', role: 'admin', manages: ['logistics'], works: ['owners'], userGroups: keysAndAid },
  { name: 'Sílvia Pacheco', role: 'manager', manages: ['maintenance', 'pests'] },
  { name: 'Joana Sequeira', role: 'manager', manages: ['housekeeping', 'laundry'], userGroups: ['First aid'] },
  { name: 'Gonçalo Pinhal', role: 'field_team_member', works: ['maintenance'], groups: ['lisboa'], userGroups: keysAndAid },
  { name: 'Cátia Semedo', role: 'field_team_member', works: ['housekeeping'], groups: ['lisboa'] },
  { name: 'Aissatou Diallo', role: 'field_team_member', works: ['housekeeping', 'laundry'], groups: ['lisboa'] },
  {
    name: 'Beatriz Antunes',
    role: 'field_supervisor',
    works: ['inspections', 'housekeeping'],
    groups: ['lisboa', 'porto'],
    userGroups: keys,
  },
  { name: 'Igor Padilha', role: 'field_team_member', state: 'left', works: ['maintenance', 'pests'], groups: ['porto'] },
  { name: 'Edna Vaz', role: 'field_team_member', works: ['housekeeping'], groups: ['porto'] },
  { name: 'Denys Kovalenko', role: 'field_team_member', works: ['maintenance', 'housekeeping'], groups: ['porto'] },
  {
    name: 'Sofia Lacerda',
    role: 'member',
    works: ['guests', 'portoDesk'],
    groups: ['lisboa', 'porto'],
    userGroups: ['Night shift'],
  },
  { name: 'Sandra Mealha', role: 'member', state: 'left', works: ['portoDesk'], groups: ['porto'] },
  { name: 'Álvaro Domínguez', role: 'manager', manages: ['inspections'], works: ['guests'], groups: ['sevilla', 'barcelona'] },
  { name: 'Lourdes Jiménez', role: 'field_team_member', works: ['housekeeping'], groups: ['sevilla'] },
  { name: 'Manuel Reyes Oliva', role: 'field_team_member', works: ['maintenance'], groups: ['sevilla'], userGroups: keys },
  { name: 'Rosário Viegas', role: 'field_team_member', works: ['housekeeping'], groups: ['algarve'] },
  { name: 'Nélson Abrantes', role: 'field_team_member', works: ['maintenance', 'pools'], groups: ['algarve'] },
  {
    name: 'Carmen Ortega',
    role: 'field_supervisor',
    works: ['inspections', 'housekeeping'],
    groups: ['sevilla'],
    userGroups: keysAndAid,
  },
  { name: 'Duarte Gouveia', role: 'manager', manages: ['guests', 'concierge'], works: ['inspections'], groups: ['madeira'] },
  { name: 'Hélia Camacho', role: 'field_team_member', works: ['housekeeping', 'laundry'], groups: ['madeira'] },
  { name: 'Ivo Spínola', role: 'field_team_member', works: ['maintenance', 'pools'], groups: ['madeira'] },
  {
    name: 'Délio Sotavento',
    role: 'field_team_member',
    email: 'delio@piscinas-sotavento.example',
    external: true,
    works: ['pools'],
    groups: ['algarve'],
  },
  { name: 'Tomás Leitão', role: 'admin', manages: ['projects'], works: ['concierge'] },
  {
    name: 'Rui Nóbrega',
    role: 'field_supervisor',
    works: ['inspections', 'housekeeping'],
    groups: ['algarve', 'madeira'],
    userGroups: keys,
  },
  {
    name: 'Núria Ferrer',
    role: 'manager',
    manages: ['housekeeping'],
    works: ['guests'],
    groups: ['barcelona'],
    permissions: planning,
  },
  { name: 'Montserrat Puig Sala', role: 'field_team_member', works: ['housekeeping'], groups: ['barcelona'] },
  { name: 'Quim Solà', role: 'field_team_member', works: ['maintenance'], groups: ['barcelona'], userGroups: keys },
  {
    name: 'Abílio Ribeira',
    role: 'field_team_member',
    email: 'oficina@canalizacoes-ribeira.example',
    external: true,
    works: ['maintenance'],
    groups: ['porto', 'lisboa'],
  },
  {
    name: 'Fátima Benali',
    role: 'field_team_member',
    works: ['housekeeping'],
    groups: ['sevilla', 'barcelona'],
    userGroups: ['Speaks Arabic or Hebrew'],
  },
  { name: 'Úrsula Keller', role: 'member', works: ['guests', 'concierge'], userGroups: ['Night shift'] },
  { name: 'Yael Bar-On', role: 'member', works: ['guests', 'concierge'], userGroups: ['Speaks Arabic or Hebrew'] },
  { name: 'Kamala Gurung', role: 'field_team_member', email: null, works: ['housekeeping'], groups: ['lisboa', 'algarve'] },
  { name: 'Otto Lindqvist', role: 'viewer', email: 'otto@lindqvist-audit.example', external: true },
  { name: 'Matilde Arriaga', role: 'custom', permissions: planning, works: ['logistics'] },
  {
    name: 'Noor el Amrani',
    role: 'custom',
    permissions: codes,
    works: ['logistics', 'guests'],
    userGroups: ['Speaks Arabic or Hebrew'],
  },
  { name: 'Filipe Bettencourt', role: 'custom', permissions: books, external: true, email: 'filipe@bettencourt-contas.example' },
  { name: 'Vasco Prazeres', role: 'member', works: ['logistics', 'laundry'], groups: ['lisboa', 'porto'], userGroups: keys },
  { name: 'Olena Shevchuk', role: 'field_team_member', works: ['housekeeping', 'inspections'], groups: ['porto', 'lisboa'] },
  { name: 'Wanda Zielińska', role: 'viewer' },
  { name: 'Priya Raman', role: 'viewer', email: 'priya@raman-holdings.example', external: true },
  { name: 'Clara Ventura', role: 'field_team_member', state: 'invited', works: ['housekeeping'], groups: ['lisboa'] },
  {
    name: 'Ahmed Mansouri',
    role: 'field_supervisor',
    state: 'invited',
    external: true,
    email: 'ahmed@mansouri-obras.example',
    works: ['maintenance'],
  },
  { name: null, role: 'member', state: 'invited', email: 'reservas.tavira@casa-aurora.example' },
]
