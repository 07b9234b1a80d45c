import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()
const update = (id: string, data: object) => client('PATCH /devices/{id}', { id, body: { data } })
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data

test('name, properties, archival and remote controls change together, and the event says how', async () => {
  const [villa, flat] = [await make('properties', { name: 'Villa' }), await make('properties', { name: 'Flat' })]
  const { id } = await make('devices', { name: 'LOCK-1', type: 'lock' })
  await make('device_properties', { deviceId: id, propertyId: villa.id })

  const answer = await update(id, {
    name: 'Front door',
    propertyIds: [flat.id, flat.id.toUpperCase()],
    isArchived: true,
    enableRemoteControls: false,
  })

  assert.equal(answer.status, 200, answer.text)
  const { name, isArchived, enableRemoteControls, linkedProperties } = answer.data
  assert.deepEqual([name, isArchived, enableRemoteControls], ['Front door', true, false])
  assert.deepEqual(linkedProperties, [{ propertyId: flat.id, propertyName: 'Flat' }])
  const [event] = await eventsOf(id)
  assert.deepEqual(
    [event.type, event.changes.name, event.changes.propertyIds],
    ['device.updated', { from: 'LOCK-1', to: 'Front door' }, { from: [villa.id], to: [flat.id] }],
  )
  assert.equal((await client('GET /search', { query: { query: 'frnot door' } })).data.items[0].entityId, id)
})

test('what it is already changes nothing', async () => {
  const { id } = await make('devices', { name: 'Door', enableRemoteControls: false })
  const before = (await update(id, {})).data
  assert.deepEqual((await update(id, { name: 'Door', enableRemoteControls: false, propertyIds: [] })).data, before)
  assert.deepEqual(await eventsOf(id), [])
})

test('a property that is not there is refused, and nothing changes', async () => {
  const { id } = await make('devices', { name: 'Door' })
  const theirs = await (await organization(database)).make('properties', { name: 'Theirs' })
  for (const propertyId of [theirs.id, v7()]) {
    const answer = await update(id, { name: 'Gate', propertyIds: [propertyId] })
    assert.deepEqual([answer.status, answer.error.code], [422, 'invalid_reference'])
  }
  assert.equal((await client('GET /devices/{id}', { id })).data.name, 'Door')
})

test('bounds: each wrong field is named', async () => {
  const { id } = await make('devices', { name: 'Door' })
  const answer = await update(id, { name: '', propertyIds: ['x'], isArchived: null, type: 'lock' })
  assert.equal(answer.status, 400)
  assert.deepEqual(answer.error.details.issues.map(({ path }: { path: string }) => path).sort(), [
    'body.data.isArchived',
    'body.data.name',
    'body.data.propertyIds.0',
    'body.data.type',
  ])
})
