import { parseArgs } from 'node:util'
import { costs } from './costs.ts'
import { providers } from './providers.ts'
import { reads } from './reads.ts'
import { search } from './search.ts'
import { sync } from './sync.ts'
import { writes } from './writes.ts'

const usage = `npm run bench -- reads|writes|search|costs|providers|sync [--rounds 3] [--seconds 5] [--json]

  reads      GET /devices?limit=50 and GET /devices/{id}, against a bare server with the same SQL, and the statements alone
  writes     POST /tasks with an Idempotency-Key and without, against a bare server that does one INSERT of the same row
  search     GET /search: what it finds of the demo organization, beside MiniSearch and Fuse.js, and its speed on a million names
  costs      GET /costs over years of data, against the bare statement and a count of the same entries
  providers  GET /devices/{id} while a hundred requests wait for a provider that hangs, and while none does
  sync       a sync of an account of 2,000 devices, and how many statements it takes

All but search, costs and sync need wrk; all need in BENCH_DATABASE_URL (or TEST_DATABASE_URL) the address of a PostgreSQL whose user may create databases.
The bench makes a database of its own there and drops it at the end.
`

const options = {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

try {
  const { positionals, values } = parseArgs({ allowPositionals: true, options })
  if (values.help) process.stdout.write(usage)
  else {
    const bench = { reads, writes, search, costs, providers, sync }[positionals.join()]
    if (!bench) throw new Error(usage)
    await bench({
      rounds: wholeNumber('rounds', values.rounds),
      seconds: wholeNumber('seconds', values.seconds),
      json: values.json,
      databaseUrl: process.env.BENCH_DATABASE_URL || process.env.TEST_DATABASE_URL,
      signal: stopSignal(),
    })
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

/** Aborted by Ctrl-C and the like: the bench then stops what it started and drops its database before it ends. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) process.stderr.write('stopping…\n')
      stopping.abort(new Error(`Stopped by ${signal}; nothing is left behind.`))
    })
  }
  return stopping.signal
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number from 1 to 9999, not "${text}"`)
}
