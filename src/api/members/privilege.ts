import Type from 'typebox'
import type { Actor } from '../../http/auth.ts'
import { ApiError } from '../../http/errors.ts'
import { type Permission, permissions } from '../../http/permissions.ts'
import { OneOf } from '../../http/schema.ts'
import { type MemberRecord, type Role, rank, refuseUnlessOutranked, roleDefaults, roles } from './member.ts'

/** The rights that a request gives, to a member or to someone invited. */
export const rightsInput = {
  role: OneOf(roles),
  permissions: Type.Optional(
    Type.Array(OneOf(permissions), { maxItems: 200, description: "The role's own where left out; none for `custom`." }),
  ),
}

/** Who gives rights. The permissions are those of the key and the member together, so a weak key gives little. */
export type Giver = Pick<Actor, 'role' | 'permissions'>
/** What a request says of rights: without `permissions`, the role's own are meant. */
export type GivenRights = { role: Role; permissions?: readonly Permission[] | undefined }
/** What a member then has: permissions in the order of the contract, each once. */
export type Rights = { role: Role; permissions: Permission[] }

/**
 * The rights that a request gives to a member who has none yet. Nobody gives a role above their own or a permission that
 * they lack (docs/decisions.md, "Members"): 403.
 */
export function rightsGiven(giver: Giver, given: GivenRights): Rights {
  const { role } = given
  if (rank[role] > rank[giver.role as Role]) throw new ApiError('role_above_yours', { role, yours: giver.role })
  const named = given.permissions ?? roleDefaults[role]
  const lacking = permissions.filter((permission) => named.includes(permission) && !giver.permissions.has(permission))
  if (lacking.length > 0) throw new ApiError('permission_not_yours', { permissions: lacking })
  return { role, permissions: permissions.filter((permission) => named.includes(permission)) }
}

/**
 * The rights that a member has after a role change. Every permission named is given, also one that the member has already:
 * what you write must be yours. Throws 403 as above and where the member is not below the giver, 422 where the member is
 * suspended (their permissions stay cleared) or the last active owner would be demoted.
 */
export function rightsAfter(giver: Giver, member: MemberRecord & { isLastOwner: boolean }, given: GivenRights): Rights {
  refuseUnlessOutranked(giver, member)
  const rights = rightsGiven(giver, given)
  if (member.deactivatedAt) throw new ApiError('member_inactive')
  if (member.isLastOwner && rights.role !== 'owner') throw new ApiError('last_owner')
  return rights
}

/** The rights that a suspended member comes back with: what their role may do unless told otherwise, as far as the giver may give it. */
export function rightsRegained(giver: Giver, member: { role: Role }): Permission[] {
  refuseUnlessOutranked(giver, member)
  return roleDefaults[member.role].filter((permission) => giver.permissions.has(permission))
}
