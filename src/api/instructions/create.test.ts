import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, keyFor, database, owner } = await testServer({ clock: () => now })

const property = await make('properties', { name: 'Aurora', codeDisplay: '4711' })
const group = await make('property_groups', { name: 'Coast' })
const lock = await make('devices', { name: 'Front door' })
const create = (body: object, key?: string) => client('POST /instructions', { body, ...(key ? { key } : {}) })
const without = async (permission: string) =>
  (await keyFor(owner.id, { permissions: permissions.filter((one) => one !== permission) })).key

const whole = {
  deviceId: lock.id,
  type: 'access',
  title: '{{device.name}} of {{property.name}}',
  description: 'Code {{property.codeDisplay}}',
  codeType: 'fixed',
  fixedCode: '4711#',
  imageUrl: 'https://images.example/door.jpg',
  videoUrl: 'https://videos.example/door.mp4',
  isAccessDisplayed: true,
}

test('a step is stored as given and answered as a later read says it, resolved; the event keeps the code to itself', async () => {
  const answer = await create({ propertyId: property.id, ...whole })

  assert.equal(answer.status, 200)
  const { id } = answer.data
  assert.deepEqual(answer.data, {
    id,
    propertyId: property.id,
    propertyGroupId: null,
    ...whole,
    title: 'Front door of Aurora',
    description: 'Code 4711',
    sortOrder: 0,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  })
  assert.deepEqual((await client('GET /instructions/{id}', { id })).data, answer.data)
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    [events.length, events[0].type, events[0].memberId, events[0].requestId],
    [1, 'instruction.created', owner.id, answer.meta.requestId],
  )
  const told = Object.entries({ propertyId: property.id, ...whole, sortOrder: 0 }).map(([field, to]) => [field, { to }])
  assert.deepEqual(events[0].changes, { ...Object.fromEntries(told), fixedCode: { changed: true } })
})

test('a scope is enough; the next step goes to the end, and one with a place moves the others up', async () => {
  const first = await create({ propertyGroupId: group.id })
  assert.equal(first.status, 200)
  const told = Object.entries(first.data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([field]) => field),
    ['id', 'propertyGroupId', 'sortOrder', 'createdAt', 'updatedAt'],
  )
  const second = await create({ propertyGroupId: group.id.toUpperCase() })
  const between = await create({ propertyGroupId: group.id, sortOrder: 1 })
  const { data } = await client('GET /instructions', { query: { propertyGroupIds: group.id } })
  assert.deepEqual(
    data.map(({ id, sortOrder }: { id: string; sortOrder: number }) => [id, sortOrder]),
    [first, between, second].map((answer, n) => [answer.data.id, n]),
  )
})

test('a place beyond the end is 422 and moves nothing', async () => {
  const { id } = await make('properties')
  assert.equal((await create({ propertyId: id, sortOrder: 0 })).status, 200)
  for (const sortOrder of [2, 2 ** 31 - 1]) {
    const { status, error } = await create({ propertyId: id, sortOrder })
    assert.deepEqual([status, error.code, error.details], [422, 'sort_order_out_of_range', { field: 'sortOrder', maximum: 1 }])
  }
  const { data } = await client('GET /instructions', { query: { propertyIds: id } })
  assert.equal(data.length, 1)
})

test('a lock code is written with manage_lock_code alone, and answered with view_lock_code alone', async () => {
  const [noWrite, noRead] = [await without('manage_lock_code'), await without('view_lock_code')]
  const refused = await create({ propertyId: property.id, fixedCode: '1' }, noWrite)
  assert.deepEqual([refused.status, refused.error.code], [403, 'permission_denied'])
  assert.deepEqual(refused.error.details, { permission: 'manage_lock_code' })
  assert.equal((await create({ propertyId: property.id, title: 'Heating' }, noWrite)).status, 200)
  const { data } = await create({ propertyId: property.id, fixedCode: '815' }, noRead)
  assert.equal(data.fixedCode, null)
  assert.equal((await client('GET /instructions/{id}', { id: data.id })).data.fixedCode, '815')
})

test('placeholders answer what the caller may see', async () => {
  const { data } = await create({ propertyId: property.id, ...whole }, await without('private_code'))
  assert.equal(data.description, 'Code ')
})

test('exactly one scope is given', async () => {
  for (const [body, paths] of [
    [{}, ['body.propertyId', 'body.propertyGroupId', 'body']],
    [{ title: 'Nowhere' }, ['body.propertyId', 'body.propertyGroupId', 'body']],
    [{ propertyId: property.id, propertyGroupId: group.id }, ['body']],
  ] as const) {
    const { status, error } = await create(body)
    assert.deepEqual([status, error.details?.issues.map(({ path }: { path: string }) => path)], [400, paths])
  }
})

test('every reference that is wrong is named at once, another organization’s too', async () => {
  const other = await organization(database)
  const theirs = { property: await other.make('properties'), device: await other.make('devices') }
  for (const [body, fields] of [
    [{ propertyId: theirs.property.id, deviceId: theirs.device.id }, ['propertyId', 'deviceId']],
    [{ propertyGroupId: v7() }, ['propertyGroupId']],
    [{ propertyGroupId: property.id }, ['propertyGroupId']],
  ] as const) {
    const { status, error } = await create(body)
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', fields[0]])
    assert.deepEqual(
      error.details.fields.map(({ field }: { field: string }) => field),
      fields,
    )
  }
})

test('what breaks its declaration is refused by name', async () => {
  const long = 'x'.repeat(501)
  const url = ['ftp://x.example', 'door.jpg', `https://x.example/${'x'.repeat(2000)}`, null]
  const refused: Record<string, unknown[]> = {
    propertyId: ['house', null],
    deviceId: ['door', null],
    type: [1, null, long],
    title: [1, null, long, 'a\0'],
    description: [null, 'x'.repeat(20_001)],
    codeType: [null, long],
    fixedCode: [4711, null, long],
    imageUrl: url,
    videoUrl: url,
    isAccessDisplayed: ['true', null],
    sortOrder: [-1, 0.5, '0', null, 2 ** 31],
    id: [v7()],
  }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const { status, error } = await create({ propertyId: property.id, [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.${field}`])
    }
})
