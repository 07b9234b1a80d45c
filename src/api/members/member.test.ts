import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissions } from '../../http/permissions.ts'
import { rank, roleDefaults, roles } from './member.ts'

test('owners and admins may do everything, managers all but four things, and custom starts with nothing', () => {
  assert.deepEqual(roleDefaults.owner, permissions)
  assert.deepEqual(roleDefaults.admin, permissions)
  assert.deepEqual(
    permissions.filter((permission) => !roleDefaults.manager.includes(permission)),
    ['account_admin', 'manage_organization', 'delete_users', 'manage_payments'],
  )
  assert.deepEqual(roleDefaults.custom, [])
})

test('a role names each of its permissions once, in the order of the contract', () => {
  for (const role of roles) {
    const inOrder = permissions.filter((permission) => roleDefaults[role].includes(permission))
    assert.deepEqual(roleDefaults[role], inOrder, role)
  }
})

test('a viewer only views, and nobody below manager may change who may do what', () => {
  assert.deepEqual(
    roleDefaults.viewer.filter((permission) => !permission.startsWith('view_')),
    [],
  )
  for (const role of roles.filter((role) => rank[role] < rank.manager))
    for (const permission of ['manage_users', 'delete_users', 'account_admin'] as const)
      assert.ok(!roleDefaults[role].includes(permission), `${role} ${permission}`)
})

test('roles rank from owner to viewer, manager and custom alike', () => {
  const order = ['owner', 'admin', 'manager', 'member', 'field_supervisor', 'field_team_member', 'viewer'] as const
  for (const [index, role] of order.slice(1).entries()) assert.ok(rank[order[index]!] > rank[role], role)
  assert.equal(rank.custom, rank.manager)
})
