import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { ids, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { client, make, database, organizationId, owner } = await testServer()
const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 12, minute))
const event = (columns: object) =>
  make('events', { type: 'task.created', entityType: 'task', entityId: v7(), changes: {}, ...columns })

const first = await event({ createdAt: at(1), memberId: owner.id, requestId: 'req_1', changes: { name: { to: 'Clean' } } })
const second = await event({ createdAt: at(2), type: 'reservation.updated', entityType: 'reservation' })
const third = await event({ createdAt: at(3), entityId: first.entityId! })

test('events come oldest first, with who, by which request, and what changed', async () => {
  const answer = await client('GET /events')
  assert.deepEqual(ids(answer), [first.id, second.id, third.id])
  assert.equal(answer.meta.pagination.total, 3)
  assert.deepEqual(answer.data[0], {
    id: first.id,
    type: 'task.created',
    entityType: 'task',
    entityId: first.entityId,
    memberId: owner.id,
    apiKeyId: null,
    requestId: 'req_1',
    idempotencyKey: null,
    changes: { name: { to: 'Clean' } },
    createdAt: at(1).toISOString(),
  })
})

test('they are filtered by type, by what changed, and by time', async () => {
  const found = async (query: Record<string, string | string[]>) => ids(await client('GET /events', { query }))
  assert.deepEqual(await found({ types: 'reservation.updated' }), [second.id])
  assert.deepEqual(await found({ types: ['reservation.updated', 'task.created'] }), [first.id, second.id, third.id])
  assert.deepEqual(await found({ entityTypes: 'task' }), [first.id, third.id])
  assert.deepEqual(await found({ entityId: first.entityId as string }), [first.id, third.id])
  assert.deepEqual(await found({ createdFrom: at(2).toISOString() }), [second.id, third.id])
  assert.deepEqual(await found({ createdBefore: at(2).toISOString() }), [first.id])
})

const skip = !process.env.TEST_DATABASE_URL && 'on the embedded engine transactions do not overlap'

test('a reader that follows along misses nothing, however transactions overlap', { skip }, async () => {
  const follow = async (after: string) => ids(await client('GET /events', { query: { after, limit: 100 } }))
  await settled(() => follow('00000000-0000-0000-0000-000000000000'), 3)

  // The earlier transaction commits last: its event must not appear behind one that the reader has passed.
  let early = ''
  let late = ''
  await database.transaction(async (trx) => {
    early = v7()
    await trx.run(
      sql`insert into events (organization_id, id, type, entity_type, entity_id) values (${organizationId}, ${early}, 'a', 'task', ${v7()})`,
    )
    late = (await event({ type: 'b' })).id
    assert.deepEqual(await follow(third.id), [])
  })
  await settled(() => follow(third.id), 2)
  assert.deepEqual(await follow(third.id), [early, late])
  assert.deepEqual(await follow(early), [late])
  assert.deepEqual(await follow(late), [])
})

/** Other tests' transactions may still be under way in the shared database. */
async function settled(follow: () => Promise<string[]>, count: number): Promise<void> {
  for (let tries = 0; tries < 600 && (await follow()).length < count; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50))
}
