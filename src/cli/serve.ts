import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { type Log, openLog } from '../log.ts'
import type { Server } from '../server.ts'

/** Beyond the time that requests in work are given, closing what is open may take this long (milliseconds). */
const closeTimeout = 5_000

/** A terminal and npm each pass Ctrl-C on, so one press may arrive twice (milliseconds). */
const samePress = 500

const environment = `
Environment:
  HOST              address to listen on (127.0.0.1)
  PORT              port to listen on, 0 for any free one (3000)
  STEWARD_DATA_DIR  where the embedded database lives (./.steward)
  DATABASE_URL      a PostgreSQL to use instead of the embedded one
  REDIS_URL         a Redis to count rate limits together with other nodes
  LOG_LEVEL         fatal, error, warn, info, debug, trace or silent (info)`

export function serve(program: Command): void {
  program
    .command('serve')
    .summary('start the service')
    .description(
      'Starts the service: opens the database, applies its migrations and listens. An embedded database without any\norganization receives the demo organization first. Stop it with Ctrl-C or SIGTERM.',
    )
    .addHelpText('after', environment)
    .action(async () => {
      const config = readConfig()
      const { log, flush } = openLog({ level: config.logLevel })
      dieOfTheUnexpected(log, flush)
      const stopping = stopSignal(log)
      try {
        const server = await start(config, log, stopping, flush)
        if (server) await untilStopped(server, config, log, stopping, flush)
      } finally {
        flush()
      }
      process.exit(0)
    })
}

/** Undefined where the service was told to stop before it was ready. */
async function start(config: Config, log: Log, stopping: AbortSignal, flush: () => void): Promise<Server | undefined> {
  const onCrash = (error: Error) => die(log, flush, error, 'the embedded database ended by itself; start again')
  try {
    // Not loaded at the top: other commands answer in half the time without the server's sources.
    const { startServer } = await import('../server.ts')
    const server = await startServer({ config, log, progress: say, onCrash, signal: stopping })
    say(`API      ${server.url}/api/v1`)
    say(`Docs     ${server.url}/docs`)
    // Straight to standard output: a key never passes through the log.
    if (server.demoKey === 'revoked') say('The demo key was revoked; delete demo-key in the data directory for a new one.')
    else if (server.demoKey) say(`API key  ${server.demoKey}`)
    return server
  } catch (error) {
    if (stopping.aborted) return undefined
    throw error
  }
}

async function untilStopped(server: Server, config: Config, log: Log, stopping: AbortSignal, flush: () => void) {
  await new Promise<void>((resolve) => {
    if (stopping.aborted) resolve()
    else stopping.addEventListener('abort', () => resolve())
  })
  const late = () => die(log, flush, new Error('closing took too long'), 'stopped without closing everything')
  setTimeout(late, config.stopTimeout + closeTimeout)
  await server.stop()
  log.info('stopped')
}

/** Aborted by the first SIGTERM or SIGINT. A second one ends the process at once. */
function stopSignal(log: Log): AbortSignal {
  const stopping = new AbortController()
  let since = 0
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted && Date.now() - since > samePress) process.exit(code)
      if (stopping.signal.aborted) return
      since = Date.now()
      log.info({ signal }, 'stopping: requests in work may finish')
      stopping.abort()
    })
  }
  return stopping.signal
}

/** After an error that nobody expected, nothing is known of the process's state: it says so and ends. */
function dieOfTheUnexpected(log: Log, flush: () => void): void {
  process.on('uncaughtException', (error) => die(log, flush, error, 'an error that nothing caught'))
  process.on('unhandledRejection', (reason) => die(log, flush, reason, 'a rejection that nothing handled'))
}

function die(log: Log, flush: () => void, error: unknown, message: string): never {
  log.fatal({ err: error }, message)
  flush()
  process.exit(1)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)
