import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'

const { client, make, database } = await testServer()

test('a device answers with its linked properties', async () => {
  const property = await make('properties', { name: 'Casa "Azul"' })
  const device = await make('devices', { name: 'Front door', type: 'lock', online: true, deviceState: { lock: 'locked' } })
  await make('device_properties', { deviceId: device.id, propertyId: property.id })

  const answer = await client('GET /devices/{id}', { id: device.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data.linkedProperties, [{ propertyId: property.id, propertyName: 'Casa "Azul"' }])
  assert.deepEqual(answer.data.deviceState, { lock: 'locked' })
})

test("another organization's device does not exist", async () => {
  const other = await organization(database)
  const device = await other.make('devices', { name: 'Theirs' })

  const answer = await client('GET /devices/{id}', { id: device.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'device_not_found')
})
