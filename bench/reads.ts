import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { readConfig } from '../src/config.ts'
import type { BareOptions } from './bare-server.ts'
import { createDatabase, type Filled, fill, size } from './database.ts'
import { type Spread, say, shown, spread, table } from './figures.ts'
import { postgresVersion, start } from './servers.ts'
import {
  compareStatements,
  type Planning,
  page,
  plainForm,
  type Sent,
  type StatementFigures,
  sentStatements,
} from './statements.ts'
import { type Load, load, requireWrk } from './wrk.ts'

type Options = { rounds: number; seconds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** What Steward keeps of the bare server's throughput, and how much faster its statement is than the plain form. */
const goals = { list: 0.8, one: 0.6, statement: 1.5 }

type Side = { requestsPerSecond: Spread; p50: Spread; p99: Spread; rounds: Load[] }
type RouteFigures = { route: string; steward: Side; bare: Side; ratio: number; goal: number }
type Figures = {
  node: string
  postgres: string
  cpus: number
  /** Of the last minute, before the first round and after the last one. */
  loadAverage: { before: number; after: number }
  rounds: number
  seconds: number
  routes: RouteFigures[]
  statements: {
    list: StatementFigures[]
    one: StatementFigures[]
    listRatio: Record<Planning, number>
    oneRatio: Record<Planning, number>
    goal: number
  }
}

/**
 * Reads of devices through Steward and through a server that runs the same SQL and adds nothing, then the statements alone.
 * Everything that it makes, the database included, is gone when it ends. `signal` ends it after the step that is under way.
 */
export async function reads({ databaseUrl, signal, json, ...rest }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  await requireWrk()
  const cleanUp = new AsyncDisposableStack()
  try {
    const figures = await measure(databaseUrl, cleanUp, signal, rest)
    process.stdout.write(json ? `${JSON.stringify(figures, null, 2)}\n` : report(figures))
  } finally {
    await cleanUp.disposeAsync()
  }
}

async function measure(
  databaseUrl: string,
  cleanUp: AsyncDisposableStack,
  signal: AbortSignal,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figures> {
  say('creating a database and filling it…')
  const filled = await fill(await createDatabase(databaseUrl, cleanUp), signal)
  signal.throwIfAborted()
  const sent = await sentStatements(filled)
  const servers = await startServers(filled, sent, cleanUp)
  const paths = { list: `devices?limit=${page.limit}`, one: `devices/${filled.deviceId}` }
  for (const path of Object.values(paths)) await requireEqual(servers, path, filled.key)

  const before = loadavg()[0]!
  const routes = await compareRoutes(servers, paths, filled.key, { rounds, seconds, signal })
  say('the statements alone…')
  const { list, one } = await compareStatements(filled, sent, Math.max(rounds, 9), signal)
  return {
    node: process.version,
    postgres: await postgresVersion(filled.connection),
    cpus: availableParallelism(),
    loadAverage: { before, after: loadavg()[0]! },
    rounds,
    seconds,
    routes,
    statements: { list, one, listRatio: timesFaster(list), oneRatio: timesFaster(one), goal: goals.statement },
  }
}

type Servers = { steward: string; bare: string }

async function startServers({ connection }: Filled, sent: Sent, cleanUp: AsyncDisposableStack): Promise<Servers> {
  const env = { DATABASE_URL: connection, HOST: '127.0.0.1', PORT: '0' }
  const { poolSize } = readConfig(env)
  const options: BareOptions = { connection, poolSize, list: sent.list.bare, one: sent.one.bare }
  const steward = await start('steward-server.ts', [], env, cleanUp)
  const bare = await start('bare-server.ts', [JSON.stringify(options)], {}, cleanUp)
  return { steward, bare }
}

/** Both servers must say the same of the device or the page, and the page must be of one organization alone. */
async function requireEqual(servers: Servers, path: string, key: string): Promise<void> {
  const answers = [servers.steward, servers.bare].map(async (base) => {
    const response = await fetch(base + path, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    })
    assert.equal(response.status, 200, `${base}${path} answers ${response.status}`)
    return (await response.json()) as { data: unknown; total?: number; meta: { pagination?: { total: number } } }
  })
  const [steward, bare] = await Promise.all(answers)
  assert.deepEqual(steward!.data, bare!.data, 'the two servers say different things')
  if (bare!.total !== undefined) assert.deepEqual([steward!.meta.pagination!.total, bare!.total], [size.devices, size.devices])
}

type Run = { rounds: number; seconds: number; signal: AbortSignal }

/** Steward and the bare server take turns, in changing order, so that what disturbs the machine disturbs both. */
async function compareRoutes(
  servers: Servers,
  paths: Record<'list' | 'one', string>,
  key: string,
  { rounds, seconds, signal }: Run,
) {
  const routes = [
    { route: `GET /${paths.list}`, path: paths.list, goal: goals.list, steward: [] as Load[], bare: [] as Load[] },
    { route: 'GET /devices/{id}', path: paths.one, goal: goals.one, steward: [] as Load[], bare: [] as Load[] },
  ]
  // Round 0 warms up.
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up…' : `round ${round} of ${rounds}…`)
    for (const { path, ...loads } of routes) {
      for (const side of round % 2 === 0 ? (['steward', 'bare'] as const) : (['bare', 'steward'] as const)) {
        const measured = await load(servers[side] + path, key, round === 0 ? 2 : seconds, signal)
        if (round > 0) loads[side].push(measured)
      }
    }
  }
  return routes.map(({ route, goal, steward, bare }): RouteFigures => {
    const sides = { steward: summary(steward), bare: summary(bare) }
    return { route, ...sides, ratio: sides.steward.requestsPerSecond.median / sides.bare.requestsPerSecond.median, goal }
  })
}

function summary(rounds: Load[]): Side {
  const of = (figure: keyof Load) => spread(rounds.map((round) => round[figure]))
  return { requestsPerSecond: of('requestsPerSecond'), p50: of('p50'), p99: of('p99'), rounds }
}

/** How many times as fast as the plain form Steward's statement is, under each way of planning the plain form. */
function timesFaster([ours, ...others]: StatementFigures[]): Record<Planning, number> {
  const against = (planning: Planning) =>
    others.find((other) => other.name === plainForm && other.planning === planning)!.milliseconds.median /
    ours!.milliseconds.median
  return { auto: against('auto'), force_generic_plan: against('force_generic_plan') }
}

function report({ routes, statements, loadAverage, ...about }: Figures): string {
  const timesText = (times: Record<Planning, number>) => `${times.auto.toFixed(2)} (${times.force_generic_plan.toFixed(2)})`
  const verdict = (ratio: number, goal: number) => `${goal.toFixed(2)} ${ratio >= goal ? 'met' : 'missed'}`
  const statementRows = (heading: string, figures: StatementFigures[]) => [
    [heading, 'plan_cache_mode', 'ms a call', 'against the first'],
    ...figures.map(({ name, planning, milliseconds }) => [
      name,
      planning,
      shown(milliseconds, 3),
      `× ${(milliseconds.median / figures[0]!.milliseconds.median).toFixed(2)}`,
    ]),
  ]
  return `
Node.js ${about.node}, PostgreSQL ${about.postgres}, ${about.cpus} CPUs, load average ${loadAverage.before.toFixed(2)} before, ${loadAverage.after.toFixed(2)} after.
Two organizations, each with ${size.devices.toLocaleString('en')} devices of ${size.linksPerDevice} linked properties and ${size.tasks.toLocaleString('en')} tasks.
Medians (lowest–highest) of ${about.rounds} rounds of ${about.seconds} s, 16 connections; of the statements, of ${statements.list[0]!.rounds.length} rounds over one connection.

${table([
  ['requests a second', 'Steward', 'bare server', 'ratio', 'goal'],
  ...routes.map(({ route, steward, bare, ratio, goal }) => [
    route,
    shown(steward.requestsPerSecond),
    shown(bare.requestsPerSecond),
    ratio.toFixed(2),
    verdict(ratio, goal),
  ]),
])}
${table([
  ['latency, ms', 'p50', 'p99'],
  ...routes.flatMap(({ route, steward, bare }) => [
    [`${route}, Steward`, shown(steward.p50, 2), shown(steward.p99, 2)],
    [`${route}, bare server`, shown(bare.p50, 2), shown(bare.p99, 2)],
  ]),
])}
${table(statementRows('the list statement', statements.list))}
${table(statementRows('the by-id statement', statements.one))}
Times as fast as the plain form under PostgreSQL's default planning (and under force_generic_plan):
the list ${timesText(statements.listRatio)}, goal ${verdict(statements.listRatio.auto, statements.goal)}; by id ${timesText(statements.oneRatio)}.
`
}
