import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import pg from 'pg'
import { keepCosts } from '../src/api/costs/kept.ts'
import { listCosts } from '../src/api/costs/list.ts'
import { openDatabase } from '../src/db/db.ts'
import { type Statement, sql } from '../src/db/sql.ts'
import { type FilledCosts, fillCosts, size } from './costs-database.ts'
import { createDatabase } from './database.ts'
import { type Spread, say, shown, spread, table } from './figures.ts'
import { postgresVersion, start } from './servers.ts'

type Options = { rounds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** Of Steward's time to the bare statement's, and of the statement's to the count of the same entries. */
const goals = { http: 1.25, month: 4, year: 6 }

const queries = {
  month: { start: '2025-03-01T00:00:00.000Z', end: '2025-04-01T00:00:00.000Z', groupBy: 'day' },
  year: { start: '2025-01-01T00:00:00.000Z', end: '2026-01-01T00:00:00.000Z', groupBy: 'week' },
} as const
type Name = keyof typeof queries
type Figures = { name: Name; bytes: number; entries: number } & Record<'http' | 'statement' | 'count' | 'anew', Spread>

/** GET /costs of an organization with years of data: through HTTP, the bare statement, and a count of the same entries. */
export async function costs({ databaseUrl, rounds, json, signal }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  const cleanUp = new AsyncDisposableStack()
  try {
    say('creating a database and filling it with 1,300,000 rows: a minute or two…')
    const connection = await createDatabase(databaseUrl, cleanUp)
    const filled = await fillCosts(connection, signal)
    say('keeping what is over…')
    const kept = await keepAll(connection)
    const base = await start('steward-server.ts', [], { DATABASE_URL: connection, HOST: '127.0.0.1', PORT: '0' }, cleanUp)
    const figures: Figures[] = []
    for (const name of ['month', 'year'] as const)
      figures.push(await measure(name, connection, base, filled, Math.max(rounds, 9), signal))
    const about = { postgres: await postgresVersion(connection), cpus: availableParallelism(), loadAverage: loadavg()[0]!, kept }
    process.stdout.write(json ? `${JSON.stringify({ ...about, figures }, null, 2)}\n` : report(figures, about))
  } finally {
    await cleanUp.disposeAsync()
  }
}

async function measure(
  name: Name,
  connection: string,
  base: string,
  { organizationId, key }: FilledCosts,
  rounds: number,
  signal: AbortSignal,
): Promise<Figures> {
  const query = { ...queries[name], tz: 'Europe/Madrid', pendingOnly: false }
  const statement = await sentStatement(connection, organizationId, query)
  // The zone by another name, under which nothing is kept.
  const plain = await sentStatement(connection, organizationId, { ...query, tz: 'europe/madrid' })
  const count: Statement = {
    text: 'select count(*)::int as data from time_entries where organization_id = $1 and start_time >= $2 and start_time < $3',
    values: [organizationId, query.start, query.end],
  }
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  await client.query(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off; set work_mem = '64MB'`)
  const parameters = new URLSearchParams(Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]))
  const sides = {
    http: async () => {
      const response = await fetch(`${base}costs?${parameters}`, { headers: { authorization: `Bearer ${key}` }, signal })
      assert.equal(response.status, 200)
      return response.text()
    },
    statement: async () => (await client.query({ name, ...statement })).rows[0].data as string,
    anew: async () => (await client.query({ name: `${name} anew`, ...plain })).rows[0].data as string,
    count: async () => (await client.query({ name: `${name} count`, ...count })).rows[0].data as number,
  }
  try {
    const [text, data, entries] = [await sides.http(), await sides.statement(), await sides.count()]
    assert.equal(
      text.slice(text.indexOf('['), text.lastIndexOf(']') + 1),
      `[${data}]`,
      'HTTP and the statement say different things',
    )
    assert.equal(await sides.anew(), data, 'what is kept is not what is worked out anew')
    const times = { http: [] as number[], statement: [] as number[], count: [] as number[], anew: [] as number[] }
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const side of ['http', 'statement', 'count', 'anew'] as const) {
        signal.throwIfAborted()
        const begin = performance.now()
        await sides[side]()
        if (round > 0) times[side].push(performance.now() - begin)
      }
    }
    const { http, statement: alone, count: counted, anew } = times
    const bytes = Buffer.byteLength(text)
    return { name, bytes, entries, http: spread(http), statement: spread(alone), count: spread(counted), anew: spread(anew) }
  } finally {
    await client.end()
  }
}

/** Keeps all days and weeks, as the worker does, and tells how many, how long it took and how much they weigh. */
async function keepAll(connection: string): Promise<string> {
  const database = openDatabase({ connection, poolSize: 2, connectTimeout: 5_000, statementTimeout: 60_000 })
  try {
    const begin = performance.now()
    let periods = 0
    for (let more = 1; more > 0; periods += more) more = await keepCosts(database, { now: new Date() })
    const seconds = (performance.now() - begin) / 1000
    const [size] = await database
      .reader()
      .db.rows<{ mb: number; of: number }>(
        sql`select round(pg_total_relation_size('kept_costs') / 1e6)::int as mb, round(pg_total_relation_size('time_entries') / 1e6)::int as of`,
      )
    return `${periods} days and weeks kept in ${seconds.toFixed(1)} s: ${size!.mb} MB; the time entries have ${size!.of} MB`
  } finally {
    await database.close()
  }
}

/** Taken down as the endpoint sends it. Both queries are answered in one part. */
async function sentStatement(connection: string, organizationId: string, query: object): Promise<Statement> {
  let last: Statement | undefined
  const trace = (statement: Statement) => {
    last = statement
  }
  const database = openDatabase({ connection, poolSize: 1, connectTimeout: 5_000, statementTimeout: 60_000, trace })
  try {
    const { parts } = await listCosts.handler({ db: database.reader().db, actor: { organizationId }, query })
    assert.equal(parts.length, 1)
    await parts[0]()
    return last!
  } finally {
    await database.close()
  }
}

function report(figures: Figures[], about: { postgres: string; cpus: number; loadAverage: number; kept: string }): string {
  const ratio = (a: Spread, b: Spread, goal: number) => {
    const value = a.median / b.median
    return `${value.toFixed(2)} (${goal} ${value <= goal ? 'met' : 'missed'})`
  }
  return `
Node.js ${process.version}, PostgreSQL ${about.postgres}, ${about.cpus} CPUs, load average ${about.loadAverage.toFixed(2)}.
${size.members} members, ${size.entries.toLocaleString('en')} time entries and ${size.costItems.toLocaleString('en')} cost items over ${size.years} years; a second organization mixed in.
${about.kept}.
Milliseconds, medians (lowest–highest), one request at a time.

${table([
  ['', 'entries', 'answer, KB', 'HTTP', 'the statement', 'count', 'HTTP / statement', 'statement / count', 'worked out anew'],
  ...figures.map(({ name, entries, bytes, http, statement, count, anew }) => [
    { month: 'a month by day', year: 'a year by week' }[name],
    entries.toLocaleString('en'),
    Math.round(bytes / 1000).toLocaleString('en'),
    shown(http),
    shown(statement),
    shown(count, 1),
    ratio(http, statement, goals.http),
    ratio(statement, count, goals[name]),
    shown(anew),
  ]),
])}`
}
