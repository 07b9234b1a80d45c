import { type AddressInfo, createServer, Server as Listener } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { type OpenedDatabase, openConfigured } from './database.ts'
import { raw } from './db/sql.ts'
import { loadDemo } from './demo/demo.ts'
import { demoKey } from './demo/demo-key.ts'
import type { Log } from './log.ts'
import { jobs } from './worker/jobs.ts'
import { startWorker } from './worker/worker.ts'

export type ServerOptions = {
  config: Config
  log: Log
  /** Told, in a line for people, what the start is busy with. */
  progress?: (line: string) => void
  onCrash?: (error: Error) => void
  /** Gives up the start at its next step. */
  signal?: AbortSignal
}

/** The service while it runs. */
export type Server = {
  /** Where it listens: `http://127.0.0.1:3000`. */
  url: string
  /** The key of the demo organization, 'revoked', or undefined where there is no demo organization of ours. */
  demoKey: string | undefined
  /** Lets the requests in work finish, for `config.stopTimeout` at most, then closes everything that was opened. */
  stop(): Promise<void>
}

/**
 * Opens and migrates the database, loads the demo organization into an embedded one that is empty, and listens.
 * Throws an Error that says what to do: the port is taken, the data directory is in use, the database cannot be reached.
 */
export async function startServer({ config, log, progress = () => {}, onCrash, signal }: ServerOptions): Promise<Server> {
  await refuseTakenPort(config)
  const opened = await openConfigured(config, {
    purpose: 'server',
    progress,
    ...(onCrash ? { onCrash } : {}),
    onError: (error) => log.warn({ err: error }, 'a connection to the database broke'),
  })
  try {
    signal?.throwIfAborted()
    if (opened.migrated.length > 0) log.info({ migrations: opened.migrated }, 'migrated the database')
    const key = config.databaseUrl === undefined ? await prepareDemo(opened, config, progress) : undefined
    signal?.throwIfAborted()
    const app = buildApp({ database: opened.database, config: { ...config, encryptionKey: opened.encryptionKey }, log })
    const worker = startWorker({
      jobs: jobs({ database: opened.database, connections: app.connections, config, clock: () => new Date() }),
      onError: (error, { name, interval }) =>
        log.warn({ err: error, job: name }, `the worker will try again in ${interval / 1000} s`),
    })
    app.addHook('onClose', () => worker.stop())
    const url = await listen(app, config)
    return { url, demoKey: key, stop: () => stop(app, opened, config.stopTimeout) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The demo organization is loaded once, into an embedded database without any organization. */
async function prepareDemo({ database }: OpenedDatabase, config: Config, progress: (line: string) => void) {
  const organizations = await database.reader().db.rows(raw('select from organizations limit 1'))
  if (organizations.length === 0) {
    progress('loading the demo organization…')
    await loadDemo(database, { now: new Date(), progress })
  }
  return demoKey(database, config.dataDir)
}

/** Tried before the long work of a first start. What takes the port meanwhile is met in `listen`. */
async function refuseTakenPort({ host, port }: Config): Promise<void> {
  if (port === 0) return
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(cannotListen(error, host, port)))
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  app.addHook('preClose', () => drain(app))
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw cannotListen(error as Error, host, port)
  }
  return urlOf(app.server.address() as AddressInfo)
}

/** An address of all interfaces is no address to call, so the machine's own is shown for it. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

function cannotListen(error: Error & { code?: string }, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is taken; stop the program that uses it, or choose another port: PORT=${port === 65_535 ? 3000 : port + 1}`,
    EACCES: `port ${port} is reserved for the system; choose one from 1024 on with PORT`,
    EADDRNOTAVAIL: `HOST=${host} is no address of this machine`,
    ENOTFOUND: `HOST=${host} is no address of this machine`,
    EAI_AGAIN: `HOST=${host} cannot be looked up`,
  }
  const reason = reasons[error.code ?? '']
  return reason ? new Error(reason, { cause: error }) : error
}

/**
 * A client that is about to reuse its connection would lose its request if that were closed under it. So first nobody new
 * is let in, and for a moment every answer says `connection: close`; then those that asked for nothing are closed, and
 * later those whose answer was on its way already.
 */
async function drain(app: FastifyInstance): Promise<void> {
  // The close of net.Server: that of http.Server would close idle connections too.
  Listener.prototype.close.call(app.server)
  const connections = await new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)))
  if (connections === 0) return
  await delay(200)
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  app.server.once('close', () => clearInterval(sweep))
}

async function stop(app: FastifyInstance, opened: OpenedDatabase, timeout: number): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), timeout)
  await app.close()
  clearTimeout(deadline)
  await opened.close()
}
