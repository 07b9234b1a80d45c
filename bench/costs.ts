import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { promisify } from 'node:util'
import pg from 'pg'
import { keepCosts } from '../src/api/costs/kept.ts'
import { listCosts } from '../src/api/costs/list.ts'
import { openDatabase } from '../src/db/db.ts'
import { type Statement, sql } from '../src/db/sql.ts'
import { type FilledCosts, fillCosts, size, vacuum } from './costs-database.ts'
import { createDatabase } from './database.ts'
import { type Spread, say, shown, spread, table } from './figures.ts'
import { postgresVersion, start } from './servers.ts'

type Options = { rounds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** Of Steward's time to that of psql with the bare statement, which knows nothing of what is kept, and of the statement to the count of the same entries, both within PostgreSQL. */
const goals = { http: 1.25, month: 4, year: 6 }

/** A local month and a local year of Madrid. */
const queries = {
  month: { start: '2025-02-28T23:00:00.000Z', end: '2025-03-31T22:00:00.000Z', groupBy: 'day' },
  year: { start: '2024-12-31T23:00:00.000Z', end: '2025-12-31T23:00:00.000Z', groupBy: 'week' },
} as const
type Name = keyof typeof queries
/** Under another name of the zone nothing is kept, so that all is worked out anew. */
const zones = { kept: 'Europe/Madrid', anew: 'europe/madrid' } as const
type Way = keyof typeof zones
/** Milliseconds. `psql` is what its timing says; `inside` what EXPLAIN ANALYZE does. */
type Figures = { name: Name; way: Way; bytes: number } & Record<'http' | 'psql' | 'inside' | 'count', Spread>

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
    const measured = { connection, base, filled, rounds: Math.max(rounds, 9), signal }
    const figures: Figures[] = []
    for (const name of ['month', 'year'] as const)
      for (const way of ['kept', 'anew'] as const) figures.push(await measure(name, way, measured))
    say('doubling the history…')
    await doubleHistory(connection)
    const doubled = await measure('month', 'anew', measured)
    const about = { postgres: await postgresVersion(connection), cpus: availableParallelism(), loadAverage: loadavg()[0]!, kept }
    process.stdout.write(json ? `${JSON.stringify({ ...about, figures, doubled }, null, 2)}\n` : report(figures, doubled, about))
  } finally {
    await cleanUp.disposeAsync()
  }
}

type Measured = { connection: string; base: string; filled: FilledCosts; rounds: number; signal: AbortSignal }

async function measure(name: Name, way: Way, { connection, base, filled, rounds, signal }: Measured): Promise<Figures> {
  const { organizationId, key } = filled
  const query = { ...queries[name], tz: zones[way], pendingOnly: false }
  const statement = await sentStatement(connection, organizationId, query)
  const count: Statement = {
    text: 'select count(*)::int as data from time_entries where organization_id = $1 and start_time >= $2 and start_time < $3',
    values: [organizationId, query.start, query.end],
  }
  const parameters = new URLSearchParams(Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]))
  const request = async () => {
    const response = await fetch(`${base}costs?${parameters}`, { headers: { authorization: `Bearer ${key}` }, signal })
    assert.equal(response.status, 200)
    return response.text()
  }
  const text = await request()
  const http: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now()
    await request()
    http.push(performance.now() - begin)
  }
  const [psql, inside, counted] = [
    await timed(connection, statement, rounds),
    await explained(connection, statement, rounds),
    await explained(connection, count, rounds),
  ]
  return { name, way, bytes: Buffer.byteLength(text), http: spread(http), psql, inside, count: counted }
}

const settings = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off; set work_mem = '64MB';`

/** What psql says that the statement takes, its text read and written to nowhere. The first time warms up. */
async function timed(connection: string, { text, values }: Statement, rounds: number): Promise<Spread> {
  const execute = `execute asked(${values.map(literal).join(', ')}) \\g /dev/null\n`
  const script = `${settings}\nprepare asked as ${text};\n\\timing on\n${execute.repeat(rounds + 1)}`
  const psql = promisify(execFile)('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', '-f', '-', connection])
  psql.child.stdin!.end(script)
  const { stdout } = await psql
  const times = [...stdout.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
  assert.equal(times.length, rounds + 1)
  return spread(times.slice(1))
}

const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `'{${value.map((one) => `"${one}"`).join(',')}}'`
  return value === null || typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value))
}

/** What the statement takes within PostgreSQL, without the way of its answer to a client. */
async function explained(connection: string, { text, values }: Statement, rounds: number): Promise<Spread> {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  try {
    await client.query(`${settings} prepare asked as ${text}`)
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const { rows } = await client.query(
        `explain (analyze, timing off, format json) execute asked(${values.map(literal).join(', ')})`,
      )
      if (round > 0) times.push(rows[0]['QUERY PLAN'][0]['Execution Time'])
    }
    return spread(times)
  } finally {
    await client.end()
  }
}

/** As many entries and costs again, of the three years before. */
async function doubleHistory(connection: string): Promise<void> {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  try {
    for (const [table, times] of [
      ['time_entries', ['start_time', 'end_time']],
      ['cost_items', ['incurred_at']],
    ] as const) {
      const { rows } = await client.query(
        `select column_name as name from information_schema.columns where table_name = $1 and table_schema = 'public'`,
        [table],
      )
      const names: string[] = rows.map(({ name }) => name)
      const earlier = (name: string) =>
        name === 'id'
          ? 'gen_random_uuid()'
          : `${name}${(times as readonly string[]).includes(name) ? ` - interval '3 years'` : ''}`
      await client.query(`insert into ${table} (${names.join(', ')}) select ${names.map(earlier).join(', ')} from ${table}`)
    }
  } finally {
    await client.end()
  }
  await vacuum(connection)
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

function report(
  figures: Figures[],
  doubled: Figures,
  about: { postgres: string; cpus: number; loadAverage: number; kept: string },
): string {
  const ratio = (a: Spread, b: Spread, goal: number) => {
    const value = a.median / b.median
    return `${value.toFixed(2)} (${goal} ${value <= goal ? 'met' : 'missed'})`
  }
  const before = figures.find(({ name, way }) => name === 'month' && way === 'anew')!
  return `
Node.js ${process.version}, PostgreSQL ${about.postgres}, ${about.cpus} CPUs, load average ${about.loadAverage.toFixed(2)}.
${size.members} members, ${size.entries.toLocaleString('en')} time entries and ${size.costItems.toLocaleString('en')} cost items over ${size.years} years; a second organization mixed in.
${about.kept}.
Milliseconds, medians (lowest–highest), one request at a time.

${table([
  ['', 'answer, KB', 'HTTP', 'psql', 'in PostgreSQL', 'count', 'HTTP / psql', 'HTTP / psql anew', 'statement / count'],
  ...figures.map(({ name, way, bytes, http, psql, inside, count }) => [
    `${{ month: 'a month by day', year: 'a year by week' }[name]}, ${{ kept: 'kept', anew: 'worked out anew' }[way]}`,
    Math.round(bytes / 1000).toLocaleString('en'),
    shown(http),
    shown(psql),
    shown(inside, 1),
    shown(count, 1),
    (http.median / psql.median).toFixed(2),
    ratio(http, figures.find((one) => one.name === name && one.way === 'anew')!.psql, goals.http),
    ratio(inside, count, goals[name]),
  ]),
])}
The month worked out anew, when the history is twice as long: ${shown(doubled.inside, 1)} in PostgreSQL, ${(doubled.inside.median / before.inside.median).toFixed(2)} of before.
`
}
