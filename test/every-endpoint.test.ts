import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { endpoints } from '../src/api/endpoints.ts'
import { type Endpoint, methodOf, pathOf } from '../src/http/endpoint.ts'
import { permissions } from '../src/http/permissions.ts'
import { type Answer, organization, testServer, type World } from './helper.ts'

const world = await testServer()
const { client } = world
const other = await organization(world.database)

/** A row of another organization for each kind of id a path can name. */
const foreign: Record<string, (there: World) => Promise<string>> = {
  'device-alerts': async ({ make }) =>
    (await make('device_alerts', { deviceId: (await make('devices', {})).id, kind: 'offline', openedAt: new Date() })).id,
  'device-alert-rules': async ({ make }) => {
    const department = await make('departments', { name: 'Repairs' })
    const template = await make('task_templates', { name: 'Look', departmentId: department.id })
    return (await make('device_alert_rules', { kind: 'offline', taskTemplateId: template.id })).id
  },
  'device-commands': async ({ make }) =>
    (await make('device_commands', { deviceId: (await make('devices', { type: 'lock' })).id, kind: 'lock', state: 'failed' })).id,
  devices: async ({ make }) => (await make('devices', { name: 'Door' })).id,
  integrations: async ({ make }) => (await make('integration_accounts', { provider: 'simulated' })).id,
  members: async ({ owner }) => owner.id,
  properties: async ({ make }) => (await make('properties', { name: 'House' })).id,
  'property-groups': async ({ make }) => (await make('property_groups', { name: 'Coast' })).id,
  reservations: async ({ make }) => (await make('reservations', {})).id,
  tasks: async ({ make }) =>
    (await make('tasks', { name: 'Clean', departmentId: (await make('departments', { name: 'Cleans' })).id })).id,
  'task-templates': async ({ make }) =>
    (await make('task_templates', { name: 'Clean', departmentId: (await make('departments', { name: 'Cleans' })).id })).id,
  'task-items': async ({ make }) => {
    const department = await make('departments', { name: 'Cleans' })
    const task = await make('tasks', { name: 'Clean', departmentId: department.id })
    return (await make('task_items', { taskId: task.id, rank: 0 })).id
  },
  'time-entries': async ({ make, owner }) => (await make('time_entries', { memberId: owner.id, startTime: new Date() })).id,
  'cost-items': async ({ make }) =>
    (await make('cost_items', { costType: 'other', totalCostCents: 1, incurredAt: new Date() })).id,
  instructions: async ({ make }) =>
    (await make('instructions', { propertyId: (await make('properties', { name: 'House' })).id, sortOrder: 0 })).id,
}

/** Bodies that are well-formed, where an empty one is not: what the id names is looked at after that. */
const bodies: Record<string, object> = {
  'POST /members/{id}/role': { role: 'viewer' },
  'POST /properties/{id}/status': { field: 'cleaning', value: 'clean', trigger: 'test' },
  'POST /reservations/{id}/check-in-state': { checkInState: 'checked_in', occupancyMethod: 'dashboard' },
}

const documented = readFileSync(join(import.meta.dirname, '../docs/permissions.md'), 'utf8')

for (const endpoint of endpoints) {
  test(`${endpoint.route}: no key, no answer`, async () => {
    const answer = await client(endpoint.route, { id: v7(), key: null })
    assert.equal(answer.status, 401)
    assert.equal(answer.error.type, 'authentication_error')
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
    assert.equal(answer.headers['x-request-id'], answer.meta.requestId)
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit') || name === 'retry-after'),
      [],
    )
  })

  if (endpoint.permission) {
    test(`${endpoint.route}: 403 without ${endpoint.permission}, whether the key or the member lacks it`, async () => {
      const rest = permissions.filter((permission) => permission !== endpoint.permission)
      const weakKey = await world.keyFor(world.owner.id, { permissions: rest })
      const weakMember = await world.keyFor((await world.member({ permissions: rest })).id)
      for (const { key } of [weakKey, weakMember]) {
        const answer = await client(endpoint.route, { id: v7(), key })
        assert.equal(answer.status, 403)
        assert.equal(answer.error.type, 'authorization_error')
        assertRateHeaders(answer)
      }
    })
  }

  test(`${endpoint.route}: an unknown parameter is named`, async () => {
    const answer = await client(endpoint.route, { id: v7(), query: { surprise: 1 } })
    assert.equal(answer.status, 400)
    assert.ok(answer.error.details.issues.some((issue: { path: string }) => issue.path === 'query.surprise'))
    assertRateHeaders(answer)
  })

  if (pathOf(endpoint).includes('{id}')) {
    test(`${endpoint.route}: another organization's id is as unknown as one that never was`, async () => {
      const id = await foreign[pathOf(endpoint).split('/')[1]!]!(other)
      const [theirs, nobodys] = [
        await client(endpoint.route, { id, ...bodyOf(endpoint) }),
        await client(endpoint.route, { id: v7(), ...bodyOf(endpoint) }),
      ]
      assert.equal(theirs.status, 404)
      assert.deepEqual(theirs.error, nobodys.error)
      assertRateHeaders(theirs)
    })
  }

  test(`${endpoint.route}: stands in docs/permissions.md with its permission`, () => {
    assert.ok(
      documented.includes(`| \`${endpoint.route}\` | ${endpoint.permission ? `\`${endpoint.permission}\`` : 'any key'} |`),
    )
  })
}

function assertRateHeaders({ headers, meta }: Answer): void {
  for (const name of ['limit', 'remaining', 'reset']) assert.match(String(headers[`x-ratelimit-${name}`]), /^\d+$/)
  assert.equal(headers['x-request-id'], meta.requestId)
}

function bodyOf(endpoint: Endpoint): { body?: object } {
  if (methodOf(endpoint) === 'GET') return {}
  return { body: bodies[endpoint.route] ?? (methodOf(endpoint) === 'PATCH' ? { data: {} } : {}) }
}
