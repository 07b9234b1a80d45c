import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, server } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { importRecords } from '../import.ts'
import type { Records } from '../records.ts'

const { database } = server()

async function into(organizationId: string, records: Records): Promise<string[]> {
  const result = await database.transaction((trx) => importRecords(trx, organizationId, records))
  return result.ok
    ? []
    : result.issues.map(({ file, line, field, code }) => [file.replace('.jsonl', ''), line, field, code].join(' '))
}

const joinedAt = '2025-01-01T00:00:00Z'
const member = (fields: Partial<NonNullable<Records['members']>[number]> = {}) => ({
  id: v7(),
  userId: v7(),
  role: 'member' as const,
  joinedAt,
  ...fields,
})

test('e-mail addresses and users are unique among members, stored ones included', async () => {
  const world = await organization(database)
  await world.member({ email: 'eve@casa.example' })
  const stored = await world.member()
  const userId = v7()
  assert.deepEqual(
    await into(world.organizationId, {
      members: [
        member({ email: 'ada@casa.example', userId }),
        member({ email: 'Ada@Casa.example' }),
        member({ email: 'EVE@casa.example' }),
        member({ userId }),
        member({ userId: stored.userId }),
        member({ id: stored.id }),
      ],
    }),
    [
      'members 2 email taken',
      'members 3 email taken',
      'members 4 userId duplicate',
      'members 5 userId taken',
      'members 6 userId immutable',
    ],
  )
})

test('an address that a member gives up in the same import is free', async () => {
  const world = await organization(database)
  const { id, userId } = await world.member({ email: 'eve@casa.example' })
  const members = [member({ email: 'eve@casa.example' }), member({ id, userId, email: null })]
  assert.deepEqual(await into(world.organizationId, { members }), [])
})

test('an active owner remains', async () => {
  const { organizationId, owner } = await organization(database)
  const { id, userId } = owner
  const demoted = [member({ id, userId, role: 'viewer' }), member({ role: 'owner', joinedAt: null })]
  assert.deepEqual(await into(organizationId, { members: demoted }), ['members  role last_owner'])
  const suspended = member({ id, userId, role: 'owner', deactivatedAt: joinedAt })
  assert.deepEqual(await into(organizationId, { members: [suspended] }), ['members  role last_owner'])
  assert.deepEqual(await into(organizationId, { members: [suspended, member({ role: 'owner' })] }), [])
})

test('a deactivated member has no permissions', async () => {
  const { organizationId } = await organization(database)
  const members = [member({ deactivatedAt: joinedAt, permissions: ['view_tasks'] }), member({ deactivatedAt: joinedAt })]
  assert.deepEqual(await into(organizationId, { members }), ['members 1 permissions inconsistent'])
})

test('one portal at most is the default', async () => {
  const { organizationId, make } = await organization(database)
  await make('portals', { isDefault: true })
  assert.deepEqual(
    await into(organizationId, {
      portals: [
        { id: v7(), isDefault: true },
        { id: v7(), isDefault: true },
      ],
    }),
    ['portals 1 isDefault taken', 'portals 2 isDefault taken'],
  )
})

test('at an account an external id names one device, a template has one rate a property, and a link is named once', async () => {
  const { organizationId, make } = await organization(database)
  const account = await make('integration_accounts', { provider: 'simulated' })
  await make('devices', { integrationAccountId: account.id, externalId: 'a' })
  const template = await make('task_templates', { name: 'Clean', departmentId: (await make('departments')).id })
  await make('task_rates', { templateId: template.id })
  const property = await make('properties')
  const device = (externalId: string) => ({ id: v7(), integrationAccountId: account.id, externalId })
  const rate = (propertyId: string | null) => ({ id: v7(), templateId: template.id, propertyId })
  assert.deepEqual(
    await into(organizationId, {
      devices: [
        device('a'),
        device('b'),
        device('b'),
        { id: v7(), externalId: 'b' },
        { id: v7(), propertyIds: [property.id, property.id] },
      ],
      'task-rates': [rate(null), rate(property.id), rate(property.id)],
    }),
    [
      'devices 1 externalId taken',
      'devices 3 externalId taken',
      'devices 5 propertyIds duplicate',
      'task-rates 1 propertyId taken',
      'task-rates 3 propertyId taken',
    ],
  )
})

test('places lie on the globe, and stays end after they begin', async () => {
  const { organizationId } = await organization(database)
  assert.deepEqual(
    await into(organizationId, {
      properties: [
        { id: v7(), latitude: '90.1', longitude: '-180.5' },
        { id: v7(), latitude: 'north' },
      ],
      reservations: [
        { id: v7(), checkIn: '2025-06-01T15:00:00+02:00', checkOut: '2025-06-01T13:00:00Z' },
        { id: v7(), checkIn: '2025-06-01T15:00:00+02:00' },
      ],
    }),
    [
      'properties 1 latitude range',
      'properties 1 longitude range',
      'properties 2 latitude pattern',
      'reservations 1 checkOut inconsistent',
    ],
  )
})

test('a property status stands in its vocabulary, which the same import may extend', async () => {
  const { organizationId, make } = await organization(database)
  await make('property_status_values', { field: 'cleaning', value: 'sparkling' })
  const property = v7()
  const change = { propertyId: property, field: 'readiness' as const, trigger: 'import' }
  assert.deepEqual(
    await into(organizationId, {
      'property-status-values': [{ field: 'readiness', value: 'resting' }],
      properties: [
        { id: property, readinessStatus: 'resting', cleaningStatus: 'sparkling', maintenanceStatus: 'ok' },
        { id: v7(), inspectionStatus: 'sparkling', cleaningStatus: 'ready' },
      ],
      'property-status-changes': [
        { id: v7(), ...change, value: 'resting', previousValue: 'ready' },
        { id: v7(), ...change, value: 'clean', previousValue: 'dirty' },
      ],
    }),
    [
      'properties 2 cleaningStatus unknown_status_value',
      'properties 2 inspectionStatus unknown_status_value',
      'property-status-changes 2 value unknown_status_value',
      'property-status-changes 2 previousValue unknown_status_value',
    ],
  )
})

test('a checklist item belongs to the template of its group', async () => {
  const { organizationId, make } = await organization(database)
  const departmentId = (await make('departments')).id
  const [one, other] = [
    await make('task_templates', { name: 'A', departmentId }),
    await make('task_templates', { name: 'B', departmentId }),
  ]
  const stored = await make('task_template_groups', { templateId: one.id })
  const group = v7()
  assert.deepEqual(
    await into(organizationId, {
      'task-template-groups': [{ id: group, templateId: other.id }],
      'checklist-items': [
        { id: v7(), groupId: stored.id, templateId: one.id },
        { id: v7(), groupId: stored.id, templateId: other.id },
        { id: v7(), groupId: group, templateId: one.id },
      ],
    }),
    ['checklist-items 2 templateId inconsistent', 'checklist-items 3 templateId inconsistent'],
  )
})

test('a time entry ends after it starts, has minutes once it has ended, and names its break', async () => {
  const { organizationId, owner, make } = await organization(database)
  const pause = await make('break_definitions', { name: 'Lunch', isPaid: false })
  const startTime = '2025-06-01T08:00:00Z'
  const entry = (fields: object) => ({ id: v7(), memberId: owner.id, startTime, ...fields })
  assert.deepEqual(
    await into(organizationId, {
      'time-entries': [
        entry({}),
        entry({ endTime: '2025-06-01T07:59:59Z' }),
        entry({ durationMinutes: 5 }),
        entry({ type: 'break' }),
        entry({ breakDefinitionId: pause.id }),
        entry({ type: 'break', breakDefinitionId: pause.id, endTime: startTime }),
      ],
    }),
    [
      'time-entries 2 endTime inconsistent',
      'time-entries 3 durationMinutes inconsistent',
      'time-entries 4 breakDefinitionId inconsistent',
      'time-entries 5 breakDefinitionId inconsistent',
    ],
  )
})

test('the steps of a scope are numbered without gap or double, stored ones included', async () => {
  const { organizationId, make } = await organization(database)
  const [one, other] = [(await make('properties')).id, (await make('properties')).id]
  const group = (await make('property_groups', { name: 'Coast' })).id
  const stored = [0, 1, 2].map((sortOrder) => make('instructions', { propertyId: one, sortOrder }))
  const [first, second, third] = (await Promise.all(stored)) as [{ id: string }, { id: string }, { id: string }]
  const step = (propertyId: string | null, sortOrder: number, fields: object = {}) => ({
    id: v7(),
    propertyId,
    sortOrder,
    ...fields,
  })
  assert.deepEqual(
    await into(organizationId, {
      instructions: [
        step(one, 2),
        step(one, 4),
        step(other, 1),
        step(null, 0),
        step(other, 0, { propertyGroupId: group }),
        step(null, 0, { propertyGroupId: group }),
      ],
    }),
    [
      'instructions 1 sortOrder taken',
      'instructions 2 sortOrder gap',
      'instructions 3 sortOrder gap',
      'instructions 4 propertyId inconsistent',
      'instructions 5 propertyId inconsistent',
    ],
  )
  const moved = { ...step(other, 0), id: first.id }
  assert.deepEqual(await into(organizationId, { instructions: [moved] }), ['instructions 1 sortOrder gap'])

  const turned = [third, second, first].map(({ id }, sortOrder) => ({ id, propertyId: one, sortOrder }))
  assert.deepEqual(await into(organizationId, { instructions: [...turned, step(one, 3)] }), [])
  const order = await database.reader().db.rows<{ id: string }>(sql`
    select id from instructions where organization_id = ${organizationId} order by sort_order limit 3`)
  assert.deepEqual(
    order.map(({ id }) => id),
    [third.id, second.id, first.id],
  )
})
