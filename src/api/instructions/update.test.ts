import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { clientOf, organization, server, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

let now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, keyFor, key, database, owner } = await testServer({ clock: () => now })
const otherNode = clientOf(server().app, key)

const property = await make('properties', { name: 'Aurora', codeDisplay: '4711' })
const lock = await make('devices', { name: 'Front door' })
const fresh = { type: 'access', title: 'Getting in', fixedCode: '1234', updatedAt: '2026-01-02T09:30:00.125Z' }
const step = async (columns = {}) =>
  (await make('instructions', { propertyId: (await make('properties')).id, sortOrder: 0, ...fresh, ...columns })).id
const read = async (id: string) => (await client('GET /instructions/{id}', { id })).data
const update = (id: string, data: object, own?: string) =>
  client('PATCH /instructions/{id}', { id, body: { data }, ...(own ? { key: own } : {}) })
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data
const without = async (permission: string) =>
  (await keyFor(owner.id, { permissions: permissions.filter((one) => one !== permission) })).key

test('a change is answered as a later read says it, resolved; the event tells the texts as written and keeps the code', async () => {
  const { id } = await make('instructions', { propertyId: property.id, sortOrder: 0, ...fresh })
  const sent = { title: 'Into {{property.name}}', description: '{{device.name}}', deviceId: lock.id, fixedCode: '99', type: null }

  const answer = await update(id, sent)

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, await read(id))
  const { title, description, deviceId, fixedCode, type, updatedAt } = answer.data
  assert.deepEqual(
    [title, description, deviceId, fixedCode, type, updatedAt],
    ['Into Aurora', 'Front door', lock.id, '99', null, now.toISOString()],
  )
  const [event, ...others] = await eventsOf(id)
  assert.deepEqual(others, [])
  assert.deepEqual([event.type, event.memberId, event.requestId], ['instruction.updated', owner.id, answer.meta.requestId])
  assert.deepEqual(event.changes, {
    title: { from: 'Getting in', to: sent.title },
    description: { from: null, to: sent.description },
    deviceId: { from: null, to: lock.id },
    type: { from: 'access', to: null },
    fixedCode: { changed: true },
  })
})

test('exactly the fields that are sent change', async () => {
  const id = await step()
  const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !/[\0{]/.test(one)))
  const url = fc.constantFrom(null, 'https://x.example/1.jpg', 'http://x.example')
  const data = fc.record(
    {
      deviceId: fc.constantFrom(null, lock.id),
      type: text,
      title: text,
      description: text,
      codeType: text,
      fixedCode: text,
      imageUrl: url,
      videoUrl: url,
      isAccessDisplayed: fc.option(fc.boolean()),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(data, async (sent) => {
      const before = await read(id)
      now = new Date(now.getTime() + 1000)
      const answer = await update(id, sent)
      const changed = Object.entries(sent).some(([field, value]) => before[field] !== value)
      assert.deepEqual(answer.data, { ...before, ...sent, updatedAt: changed ? now.toISOString() : before.updatedAt })
      assert.deepEqual(await read(id), answer.data)
    }),
    { numRuns: 40 },
  )
})

test('what changes nothing is no event', async () => {
  const id = await step()
  const before = await read(id)
  const { updatedAt, ...same } = fresh
  for (const sent of [{}, same, { sortOrder: 0 }]) assert.deepEqual((await update(id, sent)).data, before)
  assert.deepEqual(await eventsOf(id), [])
})

test('a move within the guide touches the steps between and no others', async () => {
  const { id: propertyId } = await make('properties')
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await step({ propertyId, sortOrder: n, title: `S${n}` }))
  now = new Date(now.getTime() + 1000)

  const answer = await update(ids[3]!, { sortOrder: 1, title: 'moved' })

  assert.deepEqual([answer.data.sortOrder, answer.data.title], [1, 'moved'])
  const { data } = await client('GET /instructions', { query: { propertyIds: propertyId } })
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one.title, one.sortOrder, one.updatedAt === now.toISOString()]),
    [
      ['S0', 0, false],
      ['moved', 1, true],
      ['S1', 2, true],
      ['S2', 3, true],
      ['S4', 4, false],
    ],
  )
  const [event] = await eventsOf(ids[3]!)
  assert.deepEqual(event.changes, { sortOrder: { from: 3, to: 1 }, title: { from: 'S3', to: 'moved' } })
  const { status, error } = await update(ids[0]!, { sortOrder: 5 })
  assert.deepEqual([status, error.code, error.details], [422, 'sort_order_out_of_range', { field: 'sortOrder', maximum: 4 }])
  assert.equal((await read(ids[0]!)).sortOrder, 0)
})

test('fields changed at once by several requests on two nodes all stand', async () => {
  const id = await step()
  const sent = { type: 'a', title: 'b', description: 'c', codeType: 'd', fixedCode: 'e', isAccessDisplayed: true }
  await Promise.all(
    Object.entries(sent).map(([field, value], i) =>
      (i % 2 ? client : otherNode)('PATCH /instructions/{id}', { id, body: { data: { [field]: value } } }),
    ),
  )
  const after = await read(id)
  assert.deepEqual({ ...after, ...sent }, after)
})

test('a lock code is written with manage_lock_code alone, and answered with view_lock_code alone', async () => {
  const id = await step()
  const [noWrite, noRead] = [await without('manage_lock_code'), await without('view_lock_code')]
  for (const fixedCode of ['1', null, '1234']) {
    const { status, error } = await update(id, { fixedCode, title: 'X' }, noWrite)
    assert.deepEqual([status, error.code, error.details], [403, 'permission_denied', { permission: 'manage_lock_code' }])
  }
  assert.equal((await update(id, { title: 'Door' }, noWrite)).data.title, 'Door')
  assert.equal((await read(id)).fixedCode, '1234')
  const { data } = await update(id, { fixedCode: '815' }, noRead)
  assert.equal(data.fixedCode, null)
  assert.equal((await read(id)).fixedCode, '815')
  assert.deepEqual((await eventsOf(id)).at(-1).changes, { fixedCode: { changed: true } })
})

test('an unknown device is 422, another organization’s step 404', async () => {
  const other = await organization(database)
  const id = await step()
  for (const deviceId of [v7(), (await other.make('devices')).id]) {
    const { status, error } = await update(id, { deviceId })
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'deviceId'])
  }
  const house = await other.make('properties')
  const theirs = await other.make('instructions', { propertyId: house.id, sortOrder: 0 })
  for (const unknown of [theirs.id, v7()]) {
    const { status, error } = await update(unknown, { title: 'Mine', deviceId: v7() })
    assert.deepEqual([status, error.code], [404, 'instruction_not_found'])
  }
})

test('what breaks its declaration is refused by name; a step stays in its scope', async () => {
  const id = await step()
  const long = 'x'.repeat(501)
  const refused: Record<string, unknown[]> = {
    deviceId: ['door', 1],
    type: [1, long],
    title: [1, long, 'a\0'],
    description: ['x'.repeat(20_001)],
    codeType: [long],
    fixedCode: [4711, long],
    imageUrl: ['door.jpg'],
    videoUrl: ['ftp://x.example'],
    isAccessDisplayed: ['true'],
    sortOrder: [-1, 0.5, '0', null, 2 ** 31],
    propertyId: [property.id],
    propertyGroupId: [v7()],
  }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const { status, error } = await update(id, { [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.data.${field}`])
    }
  assert.equal((await client('PATCH /instructions/{id}', { id, body: {} })).status, 400)
})
