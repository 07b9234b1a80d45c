import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { sql } from '../../src/db/sql.ts'
import { type Service, startService } from '../command.ts'
import { createDatabase } from '../database.ts'
import { testServer } from '../helper.ts'

// Several processes on one database: the embedded engine belongs to one process alone.
const given = process.env.TEST_DATABASE_URL
const skip = !given && 'needs TEST_DATABASE_URL: several processes share the database'
const rounds = Number(process.env.TEST_CRASH_ROUNDS ?? 20)

// Of its own: services that are killed take up what other tests have left to be done, and do not do it.
const own = given ? await createDatabase(given) : undefined
if (own) await migrate(own.url)
const { make, key, organizationId, database } = await testServer(own ? { connection: own.url } : {})
after(() => own?.drop())
const department = await make('departments', { name: 'Cleans', category: 'cleans' })
const node = () =>
  startService({ DATABASE_URL: own!.url, LOG_LEVEL: 'error', STEWARD_RATE_LIMIT: '1000000', STEWARD_POOL_SIZE: '4' })

/** Creates a task under a key; undefined where the process died before it answered. */
async function create(service: Service, name: string): Promise<{ status: number; id?: string; replayed: boolean } | undefined> {
  try {
    const response = await fetch(`${service.url}/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify({ departmentId: department.id, name }),
      signal: AbortSignal.timeout(20_000),
    })
    const body = (await response.json()) as { data?: { task: { id: string } } }
    return {
      status: response.status,
      ...(body.data ? { id: body.data.task.id } : {}),
      replayed: response.headers.has('idempotency-replayed'),
    }
  } catch {
    return undefined
  }
}

async function kept(name: string): Promise<{ tasks: string[]; events: string[]; records: number }> {
  const [row] = await database.reader().db.rows<{ tasks: string[]; events: string[]; records: number }>(sql`select
    array(select id from tasks where organization_id = ${organizationId} and name = ${name})::text[] as tasks,
    array(select entity_id from events where organization_id = ${organizationId} and type = 'task.created' and idempotency_key = ${name})::text[] as events,
    (select count(*)::int from idempotency_records r where r.organization_id = ${organizationId} and r.body like '%"' ||
      (select id from tasks where organization_id = ${organizationId} and name = ${name} limit 1) || '"%') as records`)
  return row!
}

test('50 identical requests at once over two processes are one task and one event', { skip }, async () => {
  const nodes = await Promise.all([node(), node()])
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => create(nodes[i % 2]!, 'rush')))

  const statuses = answers.map((answer) => answer!.status)
  assert.deepEqual(
    [...new Set(statuses)].filter((status) => status !== 409),
    [201],
  )
  assert.equal(answers.filter((answer) => answer!.status === 201 && !answer!.replayed).length, 1)
  const { tasks, events, records } = await kept('rush')
  assert.deepEqual([tasks.length, events, records], [1, tasks, 1])
  assert.deepEqual([...new Set(answers.flatMap((answer) => (answer!.id ? [answer!.id] : [])))], tasks)
  for (const service of nodes) service.kill('SIGKILL')
})

test(`kill -9 at a random moment, ${rounds} rounds: never two tasks, none that was acknowledged missing, never a change without its event`, {
  skip,
  timeout: 600_000,
}, async () => {
  const survivor = await node()
  let next = node()
  for (let round = 0; round < rounds; round++) {
    const victim = await next
    next = node()
    const name = `round ${round}`
    // A request takes some milliseconds: the kill falls before, into or after it.
    const killed = new Promise((resolve) => setTimeout(() => resolve(victim.kill('SIGKILL')), Math.random() * 12))
    const first = await create(victim, name)
    await killed
    let answer = first
    for (let tries = 0; answer?.status !== 201 && tries < 200; tries++) {
      if (answer) assert.ok([409, 503].includes(answer.status), `${answer.status}`)
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 25))
      answer = await create(survivor, name)
    }
    const { tasks, events, records } = await kept(name)
    assert.deepEqual([tasks, events, records], [[answer!.id], [answer!.id], 1], `round ${round}`)
    if (first?.status === 201) assert.equal(first.id, answer!.id)
  }
  for (const service of [survivor, await next]) service.kill('SIGKILL')
})
