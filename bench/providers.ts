import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, type Filled, fill } from './database.ts'
import { say, shown, spread, table } from './figures.ts'
import { postgresVersion, start } from './servers.ts'
import { type Load, load, requireWrk } from './wrk.ts'

type Options = { rounds: number; seconds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** What reads' p99 may grow to while every provider hangs. */
const goal = 1.2
/** Requests that wait for a provider at any moment, and how long each does (milliseconds). */
const waiting = 100
const timeout = 10_000

type Side = 'no request waits' | 'every provider hangs'

/** Reads a device while nobody waits for a provider, and while a hundred requests wait for one that never answers in time. */
export async function providers({ databaseUrl, signal, json, rounds, seconds }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  await requireWrk()
  const cleanUp = new AsyncDisposableStack()
  try {
    say('creating a database and filling it…')
    const filled = await fill(await createDatabase(databaseUrl, cleanUp), signal)
    signal.throwIfAborted()
    const env = {
      DATABASE_URL: filled.connection,
      HOST: '127.0.0.1',
      PORT: '0',
      STEWARD_PROVIDER_TIMEOUT_MS: String(timeout),
    }
    const url = await start('steward-server.ts', [], env, cleanUp)
    await slowDown(url, filled)
    const before = loadavg()[0]!
    const loads: Record<Side, Load[]> = { 'no request waits': [], 'every provider hangs': [] }
    const sides = Object.keys(loads) as Side[]
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up…' : `round ${round} of ${rounds}…`)
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const waiters = side === 'every provider hangs' ? wait(url, filled) : undefined
        await delay(500)
        const measured = await load(`${url}devices/${filled.deviceId}`, filled.key, round === 0 ? 2 : seconds, signal)
        await waiters?.end()
        if (round > 0) loads[side].push(measured)
      }
    }
    const about = { postgres: await postgresVersion(filled.connection), before, after: loadavg()[0]!, rounds, seconds }
    process.stdout.write(json ? `${JSON.stringify({ ...about, loads }, null, 2)}\n` : report(loads, about))
  } finally {
    await cleanUp.disposeAsync()
  }
}

/** The device is simulated: its provider takes a minute for each poll. */
async function slowDown(url: string, { deviceId, key }: Filled): Promise<void> {
  const response = await fetch(`${url}devices/${deviceId}/simulation`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { delayMs: 60_000 } }),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** Keeps so many polls waiting until it is told to end; then those under way end by their limit. Throws where one did not hang. */
function wait(url: string, { deviceId, key }: Filled): { end(): Promise<void> } {
  let isOver = false
  const poll = async () => {
    while (!isOver) {
      const response = await fetch(`${url}devices/${deviceId}/refresh`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      })
      await response.text()
      if (response.status !== 503) throw new Error(`A poll that was to hang was answered ${response.status}.`)
    }
  }
  const polls = Promise.all(Array.from({ length: waiting }, poll))
  polls.catch(() => {})
  return {
    async end() {
      isOver = true
      await polls
    },
  }
}

type About = { postgres: string; before: number; after: number; rounds: number; seconds: number }

function report(loads: Record<Side, Load[]>, { postgres, before, after, rounds, seconds }: About): string {
  const p99 = (side: Side) => spread(loads[side].map((load) => load.p99))
  const ratio = p99('every provider hangs').median / p99('no request waits').median
  const lines = (Object.keys(loads) as Side[]).map((side) => [
    side,
    shown(spread(loads[side].map((load) => load.requestsPerSecond))),
    shown(spread(loads[side].map((load) => load.p50)), 2),
    shown(p99(side), 2),
  ])
  return `
GET /devices/{id} from 16 connections, while ${waiting} requests wait for a provider that hangs, or none.
PostgreSQL ${postgres}, Node ${process.versions.node}, ${availableParallelism()} cores; load before ${before.toFixed(2)}, after ${after.toFixed(2)};
medians of ${rounds} rounds of ${seconds} s each (smallest to largest).

${table([['', 'requests/s', 'p50 ms', 'p99 ms'], ...lines])}
p99 with every provider hanging / with none: ${ratio.toFixed(2)} (goal: ${goal} at most)
`
}
