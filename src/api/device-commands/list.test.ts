import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ids, testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()

test("a device's commands are listed in the order in which they were asked for, a page at a time, and no other's", async () => {
  const [device, other] = [await make('devices', { type: 'lock' }), await make('devices', { type: 'lock' })]
  const command = async (deviceId: string, minute: number) =>
    (
      await make('device_commands', {
        deviceId,
        kind: 'lock',
        state: 'succeeded',
        createdAt: new Date(Date.UTC(2026, 5, 1, 10, minute)),
      })
    ).id
  const late = await command(device.id, 9)
  const early = await command(device.id, 1)
  await command(other.id, 5)
  const all = await client('GET /devices/{id}/commands', { id: device.id })
  assert.deepEqual([ids(all), all.meta.pagination.total], [[early, late], 2])
  assert.deepEqual(ids(await client('GET /devices/{id}/commands', { id: device.id, query: { limit: 1, offset: 1 } })), [late])
})
