import { roleDefaults } from '../../api/members/member.ts'
import { sql } from '../../db/sql.ts'

import { complain, type Import, isImported, recordsOf, type TypedEntry, unique } from './rule.ts'

type Member = { id: string; userId: string; email: string | null; isActiveOwner: boolean }

/**
 * E-mail addresses are unique ignoring case; a member keeps its user; a deactivated member has no permissions; an active
 * owner remains.
 */
export async function checkMembers(given: Import): Promise<void> {
  const members = recordsOf(given, 'members')
  if (members.length === 0) return
  for (const { line, value } of members) {
    if (value.deactivatedAt && value.permissions?.length)
      complain(given, 'members', line, 'permissions', 'inconsistent', 'must be empty: a deactivated member has none')
    value.permissions ??= value.deactivatedAt ? [] : [...roleDefaults[value.role]]
  }
  const byEmail = unique(given, 'members', 'email', (value) => value.email?.toLowerCase() ?? null)
  const stored = await storedMembers(given, members, [...byEmail.keys()])
  checkStored(given, members, byEmail, stored)
  checkOwner(given, members, stored)
}

/** Locked, in the order of `lockMember`, with every owner: no request demotes one meanwhile. */
function storedMembers({ trx, organizationId }: Import, members: TypedEntry<'members'>[], emails: string[]): Promise<Member[]> {
  const ids = members.map(({ value }) => value.id)
  const userIds = members.map(({ value }) => value.userId)
  return trx.rows<Member>(sql`
    select id, user_id as "userId", lower(email) as email,
      role = 'owner' and joined_at is not null and deactivated_at is null as "isActiveOwner"
    from members
    where organization_id = ${organizationId} and (id = any(${ids}) or user_id = any(${userIds})
      or lower(email) = any(${emails}) or role = 'owner')
    order by id for no key update`)
}

function checkStored(
  given: Import,
  members: TypedEntry<'members'>[],
  byEmail: Map<string, TypedEntry<'members'>>,
  stored: Member[],
): void {
  const byId = new Map(members.map((entry) => [entry.value.id, entry]))
  const byUser = new Map(members.map((entry) => [entry.value.userId, entry]))
  for (const member of stored) {
    const same = byId.get(member.id)
    if (same && same.value.userId !== member.userId)
      complain(given, 'members', same.line, 'userId', 'immutable', `is ${member.userId} for this member, and stays it`)
    const user = byUser.get(member.userId)
    if (user && user.value.id !== member.id)
      complain(given, 'members', user.line, 'userId', 'taken', `is that of member ${member.id} of the organization`)
    const address = member.email === null ? undefined : byEmail.get(member.email)
    if (address && address.value.id !== member.id && !isImported(given, 'members', member.id))
      complain(given, 'members', address.line, 'email', 'taken', `is that of member ${member.id} of the organization`)
  }
}

function checkOwner(given: Import, members: TypedEntry<'members'>[], stored: Member[]): void {
  // The owner may be on the line that is malformed.
  if (given.batch.malformed.has('members')) return
  const remains =
    members.some(({ value }) => value.role === 'owner' && value.joinedAt && !value.deactivatedAt) ||
    stored.some((member) => member.isActiveOwner && !isImported(given, 'members', member.id))
  if (!remains) complain(given, 'members', null, 'role', 'last_owner', 'the organization would be left without an active owner')
}
