import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { type Service, startService, testDatabaseUrl } from '../command.ts'
import { testServer } from '../helper.ts'

// Several processes on one database: the embedded engine belongs to one process alone.
const skip = !process.env.TEST_DATABASE_URL && 'needs TEST_DATABASE_URL: several processes share the database'
// A round takes a second: a quarter of those of the other stories.
const rounds = Math.ceil(Number(process.env.TEST_CRASH_ROUNDS ?? 20) / 4)

const { make, key, client, database, organizationId } = await testServer()
const account = await make('integration_accounts', { provider: 'simulated' })
const node = () =>
  startService({
    DATABASE_URL: testDatabaseUrl(),
    LOG_LEVEL: 'error',
    STEWARD_RATE_LIMIT: '1000000',
    STEWARD_POOL_SIZE: '4',
    STEWARD_PROVIDER_TIMEOUT_MS: '300',
  })

type Result = { success: boolean; commandId: string; state: string }

/** Asks for the lock under a key; undefined where the process died before it answered. */
async function lock(service: Service, id: string): Promise<{ status: number; data?: Result } | undefined> {
  try {
    const response = await fetch(`${service.url}/devices/${id}/lock`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': `lock ${id}` },
      signal: AbortSignal.timeout(20_000),
    })
    const body = (await response.json()) as { data?: Result }
    return { status: response.status, ...(body.data ? { data: body.data } : {}) }
  } catch {
    return undefined
  }
}

type World = { lockState: string; movement: { ref: string } | null }

/** The simulated lock as it stands; undefined where nothing ever changed it. */
async function worldOf(externalId: string): Promise<World | undefined> {
  const [row] = await database.reader().db.rows<{ state: World }>(sql`select state from simulated_devices
    where organization_id = ${organizationId} and external_id = ${externalId}`)
  return row?.state
}
const wasMoved = (world: World | undefined): boolean => world?.movement != null || world?.lockState === 'locked'

test(`kill -9 at a random moment of a lock command, ${rounds} rounds: one command, followed to its end by another node, which never sends it`, {
  skip,
  timeout: 600_000,
}, async (t) => {
  const survivor = await node()
  let next = node()
  const ends: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const victim = await next
    next = node()
    const externalId = `round-${round}`
    const device = await make('devices', {
      type: 'lock',
      integrationAccountId: account.id,
      externalId,
      deviceState: { lock: { state: 'unlocked', doorOpen: false } },
    })
    // A bolt that takes its time dies with its process on the way, one that takes none before or after.
    const isSlow = round % 2 === 1
    if (isSlow) await client('PATCH /devices/{id}/simulation', { id: device.id, body: { data: { delayMs: 80 } } })
    // The command takes some milliseconds: the kill falls before, into or after each of its steps.
    const killed = new Promise((resolve) =>
      setTimeout(() => resolve(victim.kill('SIGKILL')), Math.random() * (isSlow ? 120 : 40)),
    )
    const first = await lock(victim, device.id)
    await killed
    await victim.ended
    const sentBefore = await worldOf(externalId)
    const stored = (await client('GET /devices/{id}/commands', { id: device.id })).data
    let answer = first
    for (let tries = 0; answer?.status !== 200 && tries < 200; tries++) {
      answer = await lock(survivor, device.id)
      if (answer && answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, 25))
    }
    const { commandId } = answer!.data!
    const commands = (await client('GET /devices/{id}/commands', { id: device.id })).data
    assert.deepEqual(
      commands.map(({ id }: { id: string }) => id),
      [commandId],
      'one command, whatever crashed',
    )

    // Its time at the request is over: the survivor may look after it.
    await database.transaction((trx) =>
      trx.run(sql`update device_commands set check_after = now(),
        sent_at = sent_at - interval '2 minutes' where organization_id = ${organizationId} and id = ${commandId} and state = 'pending'`),
    )
    let command = commands[0]
    for (let tries = 0; command.state === 'pending' && tries < 400; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      command = (await client('GET /device-commands/{id}', { id: commandId })).data
    }
    const end = command.errorCode ?? command.state
    ends[end] = (ends[end] ?? 0) + 1
    const shown = (await client('GET /devices/{id}', { id: device.id })).data.deviceState.lock.state
    const world = await worldOf(externalId)
    assert.ok(['succeeded', 'not_sent', 'timeout'].includes(end), end)
    assert.equal(shown === 'locked', command.state === 'succeeded', 'locked is shown only where it was seen')
    // Where the victim had stored the command, nobody else may move the bolt.
    if (stored.length > 0 && !wasMoved(sentBefore)) assert.ok(!wasMoved(world), 'a command that was not sent is never sent')
    if (stored.length > 0 && sentBefore?.movement)
      assert.equal(world?.movement?.ref ?? sentBefore.movement.ref, sentBefore.movement.ref)
    if (end === 'not_sent') assert.ok(!wasMoved(world))
    if (end === 'succeeded') assert.ok(wasMoved(world))
    const told = (await client('GET /events', { query: { entityId: commandId } })).data.map(({ type }: { type: string }) => type)
    assert.deepEqual(told, ['device_command.created', `device_command.${command.state}`])
  }
  t.diagnostic(`how they ended: ${JSON.stringify(ends)}`)
  for (const service of [survivor, await next]) service.kill('SIGKILL')
})
