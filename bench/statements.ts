import assert from 'node:assert/strict'
import pg from 'pg'
import { getDevice } from '../src/api/devices/get.ts'
import { listDevices } from '../src/api/devices/list.ts'
import { openDatabase } from '../src/db/db.ts'
import { instantText } from '../src/db/projection.ts'
import { compile, raw, type Sql, type Statement, sql } from '../src/db/sql.ts'
import { actors, keyDigest, witness } from '../src/http/auth.ts'
import type { ReadEndpoint } from '../src/http/endpoint.ts'
import type { Filled } from './database.ts'
import { type Spread, spread } from './figures.ts'

export const page = { limit: 50, offset: 0 }

type Pair = { witnessed: Statement; bare: Statement }
/** The statements that Steward itself sends for a read, with the caller's witness and without. */
export type Sent = { list: Pair; one: Pair }

/** Taken down as the endpoints send them, so that they cannot differ from what is served. */
export async function sentStatements({ connection, key, deviceId }: Filled): Promise<Sent> {
  let last: Statement | undefined
  const trace = (statement: Statement) => {
    last = statement
  }
  const database = openDatabase({ connection, poolSize: 1, connectTimeout: 5_000, statementTimeout: 60_000, trace })
  try {
    const actor = (await actors(database, () => new Date()).find(keyDigest(`Bearer ${key}`)))!
    const sent = async (endpoint: ReadEndpoint, request: object): Promise<Pair> => {
      const by = async (confirm?: Sql) => {
        await endpoint.handler({ ...request, actor, db: database.reader(confirm).db })
        return last!
      }
      return { witnessed: await by(witness(actor)), bare: await by() }
    }
    return {
      list: await sent(listDevices, { query: page, config: { lowBattery: 20 } }),
      one: await sent(getDevice, { params: { id: deviceId } }),
    }
  } finally {
    await database.close()
  }
}

/** A device as one would write it without further thought: json_build_object, and the links by a correlated json_agg. */
const instant = (column: string) => raw(instantText(column))
const plainDevice = sql`json_build_object(
  'id', d.id, 'name', d.name, 'type', d.type, 'ecosystem', d.ecosystem, 'provider', d.provider, 'online', d.online,
  'batteryLevel', d.battery_level, 'batteryUpdatedAt', ${instant('d.battery_updated_at')},
  'healthCheck', ${instant('d.health_check')}, 'deviceState', d.device_state, 'isArchived', d.is_archived,
  'linkedProperties', (
    select coalesce(json_agg(json_build_object('propertyId', p.id, 'propertyName', p.name) order by p.id), '[]')
    from device_properties l join properties p on p.organization_id = l.organization_id and p.id = l.property_id
    where l.organization_id = d.organization_id and l.device_id = d.id),
  'createdAt', ${instant('d.created_at')})`

const count = (organizationId: string) => sql`select count(*)::int from devices d where d.organization_id = ${organizationId}`

const plainList = (organizationId: string) => sql`
  select coalesce(json_agg(page.device), '[]')::text as data, (${count(organizationId)}) as total from (
    select ${plainDevice} as device from devices d where d.organization_id = ${organizationId}
    order by d.created_at, d.id limit ${page.limit} offset ${page.offset}) page`

const plainOne = (organizationId: string, id: string) => sql`
  select ${plainDevice}::text as data from devices d where d.organization_id = ${organizationId} and d.id = ${id}`

export type Planning = 'auto' | 'force_generic_plan'
export const plainForm = 'plain form'

type Variant = { name: string; statement: Statement; planning: Planning }

/** One statement: milliseconds a call in each round. */
export type StatementFigures = { name: string; planning: Planning; milliseconds: Spread; rounds: number[] }

/** Milliseconds a call of each form, over one connection, the forms taking turns. Checks first that all forms say the same. */
export async function compareStatements(
  { connection, organizationId, deviceId }: Filled,
  sent: Sent,
  rounds: number,
  signal: AbortSignal,
): Promise<{ list: StatementFigures[]; one: StatementFigures[] }> {
  const client = new pg.Client({ connectionString: connection, connectionTimeoutMillis: 5_000, query_timeout: 60_000 })
  await client.connect()
  try {
    const list = variants(sent.list, compile(plainList(organizationId)))
    list.push({ name: 'the count alone', statement: compile(count(organizationId)), planning: 'force_generic_plan' })
    const one = variants(sent.one, compile(plainOne(organizationId, deviceId)))
    await requireEqual(client, list[0]!, list[2]!)
    await requireEqual(client, one[0]!, one[2]!)
    return { list: await measure(client, list, 200, rounds, signal), one: await measure(client, one, 500, rounds, signal) }
  } finally {
    await client.end()
  }
}

function variants({ witnessed, bare }: Pair, plain: Statement): Variant[] {
  return [
    { name: 'Steward, with the witness', statement: witnessed, planning: 'force_generic_plan' },
    { name: 'Steward, without it', statement: bare, planning: 'force_generic_plan' },
    { name: plainForm, statement: plain, planning: 'auto' },
    { name: plainForm, statement: plain, planning: 'force_generic_plan' },
  ]
}

async function requireEqual(client: pg.Client, ours: Variant, plain: Variant): Promise<void> {
  const [[a], [b]] = [(await client.query(ours.statement)).rows, (await client.query(plain.statement)).rows]
  assert.deepEqual(JSON.parse(a.data), JSON.parse(b.data), 'the plain form and ours say different things')
  assert.equal(a.total, b.total)
}

async function measure(client: pg.Client, variants: Variant[], calls: number, rounds: number, signal: AbortSignal) {
  const measured = variants.map((variant) => ({ ...variant, rounds: [] as number[] }))
  // Round 0 warms up: PostgreSQL settles on its plans within the first calls.
  for (let round = 0; round <= rounds; round++) {
    for (const { statement, planning, rounds: figures } of round % 2 === 0 ? measured : measured.toReversed()) {
      signal.throwIfAborted()
      await client.query(`set plan_cache_mode = ${planning}`)
      const start = performance.now()
      for (let call = 0; call < calls; call++) await client.query({ name: nameOf(statement, planning), ...statement })
      if (round > 0) figures.push((performance.now() - start) / calls)
    }
  }
  return measured.map(({ name, planning, rounds: figures }) => ({
    name,
    planning,
    milliseconds: spread(figures),
    rounds: figures,
  }))
}

/** Of its own for each way of planning, since PostgreSQL remembers per name how custom plans fared. */
const names = new Map<string, string>()
function nameOf({ text }: Statement, planning: Planning): string {
  const key = planning + text
  if (!names.has(key)) names.set(key, `bench_${names.size}`)
  return names.get(key)!
}
