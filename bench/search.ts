import { Agent, get } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import pg from 'pg'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { createKey } from '../src/api/api-keys/api-key.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/db.ts'
import { sql } from '../src/db/sql.ts'
import { loadDemo } from '../src/demo/demo.ts'
import { permissions } from '../src/http/permissions.ts'
import { type Entity, searchQueries } from '../test/search-queries.ts'
import { createDatabase } from './database.ts'
import { say, shown, spread, table } from './figures.ts'
import { fillNames, hugeSize, type Organization, sizes } from './search-database.ts'
import { miniSearchOf, miniSearchOptions, quality } from './search-quality.ts'
import { postgresVersion, start } from './servers.ts'

type Options = { rounds: number; seconds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }
type Measured = { perSecond: number; p50: number; p95: number }
type Side = {
  name: string
  search: (text: string) => Promise<unknown> | unknown
  queries: string[]
  connections: number
  rounds: Measured[]
}

const connections = 8

/** GET /search: what it finds of the demo organization, and what it costs among a million names of 20 organizations. */
export async function search({ databaseUrl, signal, rounds, seconds, json }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  const cleanUp = new AsyncDisposableStack()
  try {
    say('quality: the fixed set of queries on the demo organization…')
    const found = await measureQuality(await createDatabase(databaseUrl, cleanUp))
    say('speed: a database with a million names…')
    const connection = await createDatabase(databaseUrl, cleanUp)
    const before = loadavg()[0]!
    const { sides, addHuge } = await prepare(connection, cleanUp, signal)
    await measure(sides, rounds, seconds, signal)
    say(`and one organization of ${hugeSize.toLocaleString('en')}…`)
    const huge = await addHuge()
    await measure([huge], rounds, seconds, signal)
    const about = `Node.js ${process.version}, PostgreSQL ${await postgresVersion(connection)}, ${availableParallelism()} CPUs, load average ${before.toFixed(2)} before, ${loadavg()[0]!.toFixed(2)} after.`
    process.stdout.write(
      json
        ? `${JSON.stringify(
            [...sides, huge].map(({ name, rounds }) => ({ name, rounds })),
            null,
            2,
          )}\n`
        : `\n${about}\n\nOf 100 queries, wanted among the first five:\n\n${found}\n${report(sides, huge)}`,
    )
  } finally {
    await cleanUp.disposeAsync()
  }
}

async function measure(sides: readonly Side[], rounds: number, seconds: number, signal: AbortSignal): Promise<void> {
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up…' : `round ${round} of ${rounds}…`)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      signal.throwIfAborted()
      const measured = await drive(side, round === 0 ? 1 : seconds)
      if (round > 0) side.rounds.push(measured)
    }
  }
}

async function measureQuality(connection: string): Promise<string> {
  const config = readConfig({ DATABASE_URL: connection, STEWARD_RATE_LIMIT: '1000000000' })
  const database = openDatabase({ ...config, connection })
  const app = buildApp({ database, config, log: pino({ level: 'silent' }) })
  try {
    const now = new Date()
    const id = v7()
    const { ownerMemberId } = await loadDemo(database, { now, organization: { id, slug: 'demo' } })
    const { key } = await database.transaction((trx) =>
      createKey(trx, { organizationId: id, memberId: ownerMemberId, permissions }),
    )
    return await quality(app, key, now)
  } finally {
    await app.close()
    await database.close()
  }
}

async function prepare(connection: string, cleanUp: AsyncDisposableStack, signal: AbortSignal) {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  cleanUp.defer(() => client.end())
  const organizations = await fillNames(client, sizes, signal)
  const base = await start('steward-server.ts', [], { DATABASE_URL: connection, HOST: '127.0.0.1', PORT: '0' }, cleanUp)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  cleanUp.defer(() => agent.destroy())
  const pool = new pg.Pool({ connectionString: connection, max: connections })
  cleanUp.defer(() => pool.end())

  const throughSteward = async ({ organizationId, size }: Organization): Promise<Side> => {
    const key = await keyOf(connection, organizationId)
    return {
      name: `GET /search, ${size.toLocaleString('en')} entities`,
      queries: await queriesOf(client, organizationId),
      connections,
      rounds: [],
      search: (text) => request(agent, `${base}search?limit=20&query=${encodeURIComponent(text)}`, key),
    }
  }
  const sides: Side[] = []
  for (const { organizationId, size } of [10_000, 50_000, 100_000, 200_000].map(
    (size) => organizations.find((one) => one.size === size)!,
  )) {
    const side = await throughSteward({ organizationId, size })
    const { queries } = side
    sides.push(side)
    if (size !== Math.max(...sizes)) continue
    const bare = (name: string, text: string) =>
      sides.push({
        name,
        queries,
        connections,
        rounds: [],
        search: (query) => pool.query({ name, text, values: [organizationId, query] }),
      })
    bare(
      'ILIKE, trigram index',
      `select name from bench_names where organization_id = $1 and name ilike '%' || $2 || '%' limit 20`,
    )
    bare(
      'word_similarity, trigram index',
      `select name from bench_names where organization_id = $1 and $2 <% name order by word_similarity($2, name) desc limit 20`,
    )
    const { rows } = await client.query('select name from bench_names where organization_id = $1', [organizationId])
    const index = miniSearchOf(rows.map(({ name }) => name))
    sides.push({
      name: 'MiniSearch, in memory',
      queries,
      connections: 1,
      rounds: [],
      search: (text) => index.search(text, miniSearchOptions),
    })
  }
  const addHuge = async () => throughSteward((await fillNames(client, [hugeSize], signal))[0]!)
  return { sides, addHuge }
}

async function keyOf(connection: string, organizationId: string): Promise<string> {
  const database = openDatabase({ ...readConfig({ DATABASE_URL: connection }), connection, poolSize: 1 })
  try {
    return await database.transaction(async (trx) => {
      const [userId, memberId] = [v7(), v7()]
      await trx.run(sql`insert into users (id) values (${userId})`)
      await trx.run(sql`insert into members (organization_id, id, user_id, first_name, role, permissions, joined_at)
        values (${organizationId}, ${memberId}, ${userId}, 'Olga', 'owner', ${permissions}, now())`)
      return (await createKey(trx, { organizationId, memberId, permissions, rateLimit: 1_000_000_000 })).key
    })
  } finally {
    await database.close()
  }
}

/** The mixed set: as many queries of each kind, made from a sample of the organization's names. */
async function queriesOf(client: pg.Client, organizationId: string): Promise<string[]> {
  const { rows } = await client.query(
    `(select id, array[guest_first_name || ' ' || guest_last_name, confirmation_code] as names from reservations where organization_id = $1 limit 1500)
     union all (select id, array[name] from tasks where organization_id = $1 limit 700)
     union all (select id, array[name] from devices where organization_id = $1 limit 300)`,
    [organizationId],
  )
  return searchQueries(rows as Entity[])
    .map(({ text }) => text)
    .toSorted((a, b) => (a.at(-1)! + a < b.at(-1)! + b ? -1 : 1))
}

function request(agent: Agent, url: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${url} answers ${response.statusCode}`)),
      )
    }).once('error', reject)
  })
}

/** So many at a time, one after another, for so many seconds. */
async function drive({ search, queries, connections }: Side, seconds: number): Promise<Measured> {
  const took: number[] = []
  let next = 0
  const began = performance.now()
  const one = async () => {
    while (performance.now() - began < seconds * 1000) {
      const from = performance.now()
      await search(queries[next++ % queries.length]!)
      took.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
  return { perSecond: (took.length * 1000) / (performance.now() - began), p50: at(0.5), p95: at(0.95) }
}

function report(sides: readonly Side[], huge: Side): string {
  const of = (side: Side, figure: keyof Measured) => spread(side.rounds.map((round) => round[figure]))
  const median = (name: string, figure: keyof Measured) => of(sides.find((side) => side.name.startsWith(name))!, figure).median
  const [largest, smallest] = ['GET /search, 200,000', 'GET /search, 10,000']
  const speed = median(largest, 'perSecond')
  const verdict = (name: string, ratio: number, goal: string, met: boolean) => [
    name,
    ratio.toFixed(2),
    goal,
    met ? 'met' : 'missed',
  ]
  const growth = median(largest, 'p95') / median(smallest, 'p95')
  const [ilike, similarity, memory] = [
    median('ILIKE', 'perSecond'),
    median('word_similarity', 'perSecond'),
    median('MiniSearch', 'perSecond'),
  ]
  return `${table([
    ['the mixed set', 'searches a second', 'p50, ms', 'p95, ms'],
    ...[...sides, huge].map((side) => [
      side.name,
      shown(of(side, 'perSecond')),
      shown(of(side, 'p50'), 1),
      shown(of(side, 'p95'), 1),
    ]),
  ])}
${table([
  ['of the largest organization', 'ratio', 'goal', ''],
  verdict('p95 against that of 10,000 entities', growth, 'at most 3', growth <= 3),
  verdict('throughput against ILIKE', speed / ilike, 'at least 0.5', speed / ilike >= 0.5),
  verdict('throughput against word_similarity', speed / similarity, 'at least 5', speed / similarity >= 5),
  verdict('throughput of MiniSearch against it', memory / speed, 'at most 5', memory / speed <= 5),
])}`
}
