import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type DepartmentKey, departmentId } from './departments.ts'
import { mailName } from './mail-name.ts'
import { type GroupKey, groupKeys, propertyGroupId } from './property-groups.ts'
import { random } from './random.ts'
import { type Draft, demoId, type Stamped, stamped } from './rows.ts'
import { type Person, staff } from './staff.ts'

export type Member = RecordOf<'members'> & Stamped
export type UserGroup = RecordOf<'user-groups'> & Stamped

/** The owner, whom the demo key acts as. */
export const ownerEmail = 'ines@casa-aurora.example'
export const ownerMemberId = demoId('members', 0)

const day = 24 * 60
const userGroupNames = ['Key holders', 'First aid', 'Night shift', 'Speaks Arabic or Hebrew']

export function userGroups(calendar: Calendar): UserGroup[] {
  return stamped<RecordOf<'user-groups'>>(
    'user-groups',
    calendar,
    userGroupNames.map((name, n) => ({ name, made: (-900 + n * 150) * day, changed: (-300 + n) * day })),
  )
}

export const userIdOf = (n: number): string => demoId('users', n)

/** In the order of `staff`: member n has the user `userIdOf(n)`. */
export function members(calendar: Calendar): Member[] {
  return stamped<RecordOf<'members'>>(
    'members',
    calendar,
    staff.map((person, n) => member(person, n, calendar)),
  )
}

function member(person: Person, n: number, calendar: Calendar): Draft<RecordOf<'members'>> {
  const draw = random('members', n)
  const [firstName = null, ...rest] = person.name?.split(' ') ?? []
  const made = daysAgo(n)
  const joined = person.state !== 'invited' && made + draw.int(1, 4)
  const left = person.state === 'left' && leftDay(n)
  const external = person.external ?? false
  const field = person.role === 'field_team_member' || person.role === 'field_supervisor'
  const cost = field && !external ? 800 + 25 * draw.int(0, 14) + (person.role === 'field_supervisor' ? 300 : 0) : null
  return {
    userId: userIdOf(n),
    firstName,
    lastName: rest.length > 0 ? rest.join(' ') : null,
    email: emailOf(person),
    avatarUrl: person.name && draw.chance(0.6) ? `https://casa-aurora.example/people/${mailName(person.name)}.jpg` : null,
    memberType: external ? 'external' : 'internal',
    role: person.role,
    ...(left ? { permissions: [] } : person.permissions ? { permissions: [...person.permissions] } : {}),
    hourlyCostCents: cost,
    hourlyBillableCents: cost === null ? null : Math.round(cost * 2.1),
    departments: [
      ...(person.manages ?? []).map((key) => ({ id: departmentId(key), isManager: true })),
      ...(person.works ?? []).map((key) => ({ id: departmentId(key), isManager: false })),
    ],
    propertyGroupIds: (person.groups ?? []).map(propertyGroupId),
    userGroupIds: (person.userGroups ?? []).map((name) => demoId('user-groups', userGroupNames.indexOf(name))),
    invitedAt: n === 0 ? null : calendar.minute(made * day + 540 + n),
    joinedAt: joined ? calendar.minute(joined * day + draw.int(0, 600)) : null,
    deactivatedAt: left ? calendar.minute(left * day) : null,
    made: made * day + 540 + n,
    changed: (left || Math.max(made + 5, -90 + n)) * day,
  }
}

/** The first came with the company, the last were invited this week. */
const daysAgo = (n: number): number => (n === 0 ? -1190 : -Math.round(1140 * (1 - n / staff.length) ** 1.3) - 3)
const leftDay = (n: number): number => -40 - ((n * 37) % 60)

function emailOf({ name, email }: Person): string | null {
  return email === undefined && name ? `${mailName(name)}@casa-aurora.example` : (email ?? null)
}

/** Someone who may be given a task, and where: in a department and a property group. */
export type Worker = { n: number; memberId: string; userId: string; person: Person; until: number }

/** Members who do or did field work, with the last day on which they could (in days from today; 9999 for those who still can). */
export function workers(): Worker[] {
  return staff.flatMap((person, n) => {
    if (person.state === 'invited' || person.role === 'viewer' || !person.works?.length) return []
    const until = person.state === 'left' ? leftDay(n) - 1 : 9999
    return [{ n, memberId: demoId('members', n), userId: userIdOf(n), person, until }]
  })
}

export function worksIn({ person }: Worker, department: DepartmentKey, group: GroupKey | undefined): boolean {
  const reach = person.groups ?? groupKeys
  return (person.works ?? []).includes(department) && (group === undefined || reach.includes(group))
}
