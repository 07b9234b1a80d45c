import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import type { WriterOptions } from './bare-writer.ts'
import { createDatabase, type Filled, fill } from './database.ts'
import { say, shown, spread, table } from './figures.ts'
import { postgresVersion, start } from './servers.ts'
import { type Load, load, requireWrk } from './wrk.ts'

type Options = { rounds: number; seconds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** What POST /tasks with an Idempotency-Key keeps of the throughput of a server that does one INSERT of the same row. */
const goal = 0.55

type Side = 'with a key' | 'without' | 'bare server'

/** Creates tasks through Steward, with an Idempotency-Key and without, and through a server that does one durable INSERT. */
export async function writes({ databaseUrl, signal, json, rounds, seconds }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  await requireWrk()
  const cleanUp = new AsyncDisposableStack()
  try {
    say('creating a database and filling it…')
    const filled = await fill(await createDatabase(databaseUrl, cleanUp), signal)
    signal.throwIfAborted()
    const targets = await prepare(filled, cleanUp)
    const before = loadavg()[0]!
    const loads: Record<Side, Load[]> = { 'with a key': [], without: [], 'bare server': [] }
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up…' : `round ${round} of ${rounds}…`)
      for (const { side, url, script } of round % 2 === 0 ? targets : targets.toReversed()) {
        const measured = await load(url, filled.key, round === 0 ? 2 : seconds, signal, script)
        if (round > 0) loads[side].push(measured)
      }
    }
    const about = { postgres: await postgresVersion(filled.connection), before, after: loadavg()[0]!, rounds, seconds }
    process.stdout.write(json ? `${JSON.stringify({ ...about, loads }, null, 2)}\n` : report(loads, about))
  } finally {
    await cleanUp.disposeAsync()
  }
}

type Target = { side: Side; url: string; script: string }

async function prepare(
  { connection, organizationId, departmentId, userId }: Filled,
  cleanUp: AsyncDisposableStack,
): Promise<Target[]> {
  const env = { DATABASE_URL: connection, HOST: '127.0.0.1', PORT: '0' }
  const options: WriterOptions = { connection, poolSize: readConfig(env).poolSize, organizationId, userId }
  const [steward, bare] = [
    await start('steward-server.ts', [], env, cleanUp),
    await start('bare-writer.ts', [JSON.stringify(options)], {}, cleanUp),
  ]
  const directory = await mkdtemp(join(tmpdir(), 'steward-bench-'))
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
  const script = async (name: string, keyed: boolean) => {
    const path = join(directory, name)
    await writeFile(path, requests(departmentId, keyed))
    return path
  }
  const plain = await script('plain.lua', false)
  return [
    { side: 'with a key', url: `${steward}tasks`, script: await script('keyed.lua', true) },
    { side: 'without', url: `${steward}tasks`, script: plain },
    { side: 'bare server', url: `${bare}tasks`, script: plain },
  ]
}

/** wrk's request, each with a name of its own, and under a key of its own where `keyed`. */
function requests(departmentId: string, keyed: boolean): string {
  return `
local run, n = tostring(os.time()) .. tostring({}):sub(-6), 0
wrk.method = 'POST'
request = function()
  n = n + 1
  local headers = { ['Content-Type'] = 'application/json', ['Authorization'] = wrk.headers['Authorization'] }
  ${keyed ? "headers['Idempotency-Key'] = run .. '-' .. n" : ''}
  return wrk.format('POST', nil, headers, '{"departmentId":"${departmentId}","name":"Task ' .. run .. ' ' .. n .. '"}')
end
`
}

type About = { postgres: string; before: number; after: number; rounds: number; seconds: number }

function report(loads: Record<Side, Load[]>, { postgres, before, after, rounds, seconds }: About): string {
  const of = (side: Side, figure: keyof Load) => spread(loads[side].map((one) => one[figure]))
  const bare = of('bare server', 'requestsPerSecond').median
  const row = (name: string, side: Side) => {
    const ratio = of(side, 'requestsPerSecond').median / bare
    const verdict = side === 'with a key' ? `${goal} ${ratio >= goal ? 'met' : 'missed'}` : ''
    return [
      name,
      shown(of(side, 'requestsPerSecond')),
      shown(of(side, 'p50'), 2),
      shown(of(side, 'p99'), 2),
      ratio.toFixed(2),
      verdict,
    ]
  }
  return `
Node.js ${process.version}, PostgreSQL ${postgres}, ${availableParallelism()} CPUs, load average ${before.toFixed(2)} before, ${after.toFixed(2)} after.
Medians (lowest–highest) of ${rounds} rounds of ${seconds} s, 16 connections; every commit durable.

${table([
  ['POST /tasks', 'requests a second', 'p50, ms', 'p99, ms', 'ratio', 'goal'],
  row('Steward, with an Idempotency-Key', 'with a key'),
  row('Steward, without', 'without'),
  row('bare server, one INSERT', 'bare server'),
])}`
}
