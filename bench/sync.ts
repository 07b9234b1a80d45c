import { randomBytes } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { addIntegration } from '../src/api/integrations/integration.ts'
import { sync as synchronize } from '../src/api/integrations/sync.ts'
import { createOrganization } from '../src/api/organization/organization.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/db.ts'
import { changing } from '../src/http/events.ts'
import type { Connection, Connections, ProviderDevice } from '../src/providers/provider.ts'
import { createDatabase } from './database.ts'
import { say, shown, spread, table } from './figures.ts'
import { postgresVersion } from './servers.ts'

type Options = { rounds: number; json: boolean; databaseUrl: string | undefined; signal: AbortSignal }

/** Devices of the account. */
const size = 2_000

type Figures = { milliseconds: number[]; statements: number }

/** Syncs an account whose provider answers at once: all new, seen again, renamed, gone, and there again. */
export async function sync({ databaseUrl, signal, json, rounds }: Options): Promise<void> {
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new Error('Set BENCH_DATABASE_URL to a PostgreSQL whose user may create databases: postgres://user@host/database')
  }
  const cleanUp = new AsyncDisposableStack()
  try {
    const connection = await createDatabase(databaseUrl, cleanUp)
    let statements = 0
    const trace = () => void statements++
    const database = openDatabase({ connection, poolSize: 4, connectTimeout: 5_000, statementTimeout: 60_000, trace })
    cleanUp.defer(() => database.close())
    const before = loadavg()[0]!
    const figures: Record<string, Figures> = {}
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up…' : `round ${round} of ${rounds}…`)
      const run = await account(database)
      const all = (name: string) => Array.from({ length: size }, (_, n) => device(n, `${name} ${n}`))
      for (const [step, devices] of [
        ['all new', all('Door')],
        ['seen again', all('Door')],
        ['renamed', all('Gate')],
        ['gone', []],
        ['there again', all('Gate')],
      ] as const) {
        signal.throwIfAborted()
        statements = 0
        const began = performance.now()
        await run(devices)
        const took = performance.now() - began
        figures[step] ??= { milliseconds: [], statements }
        if (round > 0) figures[step].milliseconds.push(took)
      }
    }
    const about = { postgres: await postgresVersion(connection), before, after: loadavg()[0]!, rounds }
    process.stdout.write(json ? `${JSON.stringify({ ...about, figures }, null, 2)}\n` : report(figures, about))
  } finally {
    await cleanUp.disposeAsync()
  }
}

const nobody = (organizationId: string) => ({
  organizationId,
  memberId: null,
  keyId: null,
  requestId: null,
  idempotencyKey: null,
})

/** A new organization with an account; answers what syncs it with a list. */
async function account(database: Database): Promise<(devices: readonly ProviderDevice[]) => Promise<unknown>> {
  const slug = `bench-${randomBytes(6).toString('hex')}`
  const owner = { email: `owner@${slug}.example`, firstName: 'Olga', lastName: 'Owner' }
  const created = await database.transaction((trx) =>
    createOrganization(trx, { name: slug, slug, timezone: 'Europe/Madrid', region: 'local', owner }),
  )
  const organizationId = created!.id
  let listed: readonly ProviderDevice[] = []
  const provider = {
    async *list() {
      yield* listed
    },
  } as unknown as Connection
  const connections: Connections = { of: async () => provider, seal: () => null, close: async () => {} }
  const cause = nobody(organizationId)
  const accountId = await changing(database, cause, new Date(), (change) =>
    addIntegration(change, connections, organizationId, { provider: 'seam' }, new Date()),
  )
  return (devices) => {
    listed = devices
    const given = { database, connections, clock: () => new Date(), config: readConfig({}) }
    return synchronize(given, { organizationId, accountId }, { cause, limit: 60_000 })
  }
}

const device = (n: number, name: string): ProviderDevice => ({
  externalId: `device-${n}`,
  name,
  type: 'lock',
  ecosystem: 'august',
  snapshot: {
    online: true,
    battery: { percent: n % 101, reportedAt: null },
    lock: { state: n % 2 ? 'locked' : 'unlocked', doorOpen: false },
    climate: { temperatureC: 20, humidityPercent: 40 },
    issues: [],
    observedAt: new Date(),
    live: true,
  },
})

type About = { postgres: string; before: number; after: number; rounds: number }

function report(figures: Record<string, Figures>, { postgres, before, after, rounds }: About): string {
  const lines = Object.entries(figures).map(([step, { milliseconds, statements }]) => [
    step,
    shown(spread(milliseconds)),
    statements.toLocaleString('en'),
  ])
  return `
A sync of ${size.toLocaleString('en')} devices whose provider answers at once.
PostgreSQL ${postgres}, Node ${process.versions.node}, ${availableParallelism()} cores; load before ${before.toFixed(2)}, after ${after.toFixed(2)};
medians of ${rounds} rounds (smallest to largest).

${table([['', 'ms', 'statements'], ...lines])}`
}
