import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { changing } from '../../http/events.ts'
import { reconcileAlerts } from './reconcile.ts'

const { client, make, database, config, organizationId } = await testServer()
const { database: anotherNode } = server()
const account = await make('integration_accounts', { provider: 'seam' })
let n = 0
const device = (columns = {}) =>
  make('devices', { type: 'lock', integrationAccountId: account.id, externalId: `door-${++n}`, online: true, ...columns })
const cause = { organizationId, memberId: null, keyId: null, requestId: null, idempotencyKey: null }
const reconcile = (ids: string[], now = new Date(), through = database) =>
  changing(through, cause, now, (trx) => reconcileAlerts(trx, organizationId, ids, now, config))
const alertsOf = async (deviceId: string) =>
  (await client('GET /device-alerts', { query: { deviceId } })).data as { id: string; kind: string; state: string }[]
const set = (id: string, online: boolean) =>
  database.transaction((trx) =>
    trx.run(sql`update devices set online = ${online} where organization_id = ${organizationId} and id = ${id}`),
  )

test('two nodes at once open one alert for a device and kind, tell of it once, and close it once', async () => {
  const devices = await Promise.all(Array.from({ length: 5 }, () => device({ online: false, batteryLevel: 4 })))
  const all = devices.map(({ id }) => id)
  const race = () => Promise.all(Array.from({ length: 8 }, (_, i) => reconcile(all, new Date(), i % 2 ? anotherNode : database)))
  await race()
  for (const id of all) {
    const alerts = await alertsOf(id)
    assert.deepEqual(alerts.map(({ kind, state }) => `${kind} ${state}`).sort(), ['low_battery open', 'offline open'])
    for (const alert of alerts)
      assert.equal((await client('GET /events', { query: { entityId: alert.id } })).meta.pagination.total, 1)
  }
  for (const id of all) await set(id, true)
  await race()
  for (const id of all) {
    const offline = (await alertsOf(id)).find(({ kind }) => kind === 'offline')!
    assert.equal(offline.state, 'closed')
    assert.equal((await client('GET /events', { query: { entityId: offline.id } })).meta.pagination.total, 2)
  }
})

test('whoever waited for another closes what that one has opened', async () => {
  const { id } = await device({ online: false })
  const [opened, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = changing(database, cause, new Date(), async (trx) => {
    await reconcileAlerts(trx, organizationId, [id], new Date(), config)
    await trx.run(sql`update devices set online = true where organization_id = ${organizationId} and id = ${id}`)
    opened.resolve()
    await changed.promise
  })
  await opened.promise
  const second = reconcile([id], new Date(), anotherNode)
  await new Promise((resolve) => setTimeout(resolve, 50))
  changed.resolve()
  await Promise.all([first, second])
  assert.deepEqual(
    (await alertsOf(id)).map(({ state }) => state),
    ['closed'],
  )
})

test('the database holds one open alert for a device and kind', async () => {
  const { id: deviceId } = await device()
  const alert = { deviceId, kind: 'stale', openedAt: new Date() }
  await make('device_alerts', { ...alert, closedAt: new Date(Date.now() + 1000) })
  await make('device_alerts', alert)
  await assert.rejects(make('device_alerts', alert), /device_alerts_open/)
})
