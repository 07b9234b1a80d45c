import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FromWorker, Input, ToWorker } from './embedded-worker.ts'

/** Where a database is, as the `pg` driver takes it. */
export type Connection = { host: string; port: number; user: string; database: string }

export type Embedded = {
  connection: Connection
  /** Whether the engine runs in this process, and not in another that was found running. */
  owned: boolean
  /** Ends the engine if it is owned. Close the connections of this process first: those of others are waited for. */
  close(): Promise<void>
}

export type EmbeddedOptions = {
  /** A server needs the directory for itself; a command joins the engine of whoever has it. */
  purpose: 'server' | 'command'
  progress?: (line: string) => void
  /** The owned engine has ended without being asked to; nothing answers any more. */
  onCrash?: (error: Error) => void
  /** False for throw-away databases: a commit then survives the end of the process, but not that of the machine. */
  sync?: boolean
  /** Milliseconds that a connection may hold a transaction, and with it everybody else, without sending anything. */
  idleInTransaction?: number
}

type Place = { directory: string; run: string; cluster: string; socketDirectory: string }
type Holder = { pid: number; purpose: 'server' | 'command'; socketDirectory: string }

const joinTimeout = 20_000
const port = 5432
const socketFile = (directory: string) => join(directory, `.s.PGSQL.${port}`)

/**
 * Opens the database that lives in `dataDir`: an engine in a worker thread, which the `pg` driver reaches by a socket that only
 * this user may open. Throws an Error with the code `data_directory_in_use` when another process has it.
 */
export async function openEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const place = prepare(dataDir)
  const deadline = Date.now() + joinTimeout
  for (;;) {
    const unlock = lock(place)
    if (unlock) return start(place, unlock, options)
    const holder = readHolder(place)
    if (options.purpose === 'server' || Date.now() > deadline) throw inUse(place, holder)
    if (holder && (await answers(holder.socketDirectory)))
      return { connection: connectionTo(holder.socketDirectory), owned: false, close: async () => {} }
    await sleep(50)
  }
}

const connectionTo = (host: string): Connection => ({ host, port, user: 'postgres', database: 'postgres' })

function prepare(dataDir: string): Place {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const directory = realpathSync(dataDir)
  const run = join(directory, 'run')
  mkdirSync(run, { recursive: true, mode: 0o700 })
  chmodSync(run, 0o700)
  return { directory, run, cluster: join(directory, 'pg'), socketDirectory: socketDirectory(directory, run) }
}

/** A socket's path may have about a hundred bytes; where the data directory's is longer, it goes to a private temporary one. */
function socketDirectory(directory: string, run: string): string {
  if (Buffer.byteLength(socketFile(run)) <= 100) return run
  return join(tmpdir(), `steward-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`)
}

/** An SQLite transaction that never ends: its lock belongs to this process in the kernel, and goes with it however it dies. */
function lock({ run }: Place): (() => void) | undefined {
  const file = new DatabaseSync(join(run, 'lock'), { timeout: 0 })
  try {
    file.exec('pragma journal_mode = memory; begin exclusive')
    return () => file.isOpen && file.close()
  } catch (error) {
    file.close()
    const busy = 5
    if ((error as { errcode?: number }).errcode === busy) return undefined
    throw error
  }
}

function readHolder({ run }: Place): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(run, 'holder.json'), 'utf8'))
  } catch {
    // Its lock is a moment older than its note.
    return undefined
  }
}

function answers(directory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile(directory))
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => end(false))
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

function inUse({ directory }: Place, holder: Holder | undefined): Error {
  const who = holder ? `a Steward ${holder.purpose} (process ${holder.pid})` : 'another Steward process'
  const advice = holder?.purpose === 'command' ? 'Wait until it is done' : 'Stop it first'
  return Object.assign(
    new Error(
      `The data directory ${directory} is in use by ${who}. ${advice}, or choose another directory with STEWARD_DATA_DIR.`,
    ),
    { code: 'data_directory_in_use' },
  )
}

async function start(place: Place, unlock: () => void, options: EmbeddedOptions): Promise<Embedded> {
  const { purpose, progress, onCrash, sync = true, idleInTransaction = 30_000 } = options
  const release = () => {
    if (place.socketDirectory !== place.run) rmSync(place.socketDirectory, { recursive: true, force: true })
    unlock()
  }
  try {
    moveIn(place, purpose)
  } catch (error) {
    unlock()
    throw error
  }
  const input: Input = { cluster: place.cluster, socket: socketFile(place.socketDirectory), sync, idleInTransaction }
  const worker = new Worker(new URL(`./embedded-worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: input,
    // How the process was started (with --eval, say) is not the thread's business.
    execArgv: [],
    // So that PostgreSQL's own limit on nesting is met before V8's, which the engine does not survive.
    resourceLimits: { stackSizeMb: 256 },
  })

  let crash = new Error('The embedded database has ended unexpectedly')
  worker.once('error', (error) => {
    crash = error
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(release)
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message === 'ready') resolve()
      else if ('progress' in message) progress?.(message.progress)
      else crash = new Error(`The embedded database has broken down: ${message.broken}`)
    })
    void ended.then(() => reject(crash))
  })

  let closing: Promise<void> | undefined
  void ended.then(() => closing ?? onCrash?.(crash))
  return {
    connection: connectionTo(place.socketDirectory),
    owned: true,
    close() {
      closing ??= endWorker(worker, purpose).then(() => ended)
      return closing
    },
  }
}

/** Leaves a note of who is here, and makes room for the socket. */
function moveIn({ run, socketDirectory }: Place, purpose: Holder['purpose']) {
  writeFileSync(join(run, 'holder.json'), JSON.stringify({ pid: process.pid, purpose, socketDirectory } satisfies Holder))
  mkdirSync(socketDirectory, { recursive: true, mode: 0o700 })
  // In the temporary directory anybody may have made it.
  const { uid, mode } = lstatSync(socketDirectory)
  if (uid !== process.getuid?.() || (mode & 0o170077) !== 0o040000)
    throw new Error(`${socketDirectory} must be a directory of this user alone. Remove it, or use a shorter data directory.`)
  rmSync(socketFile(socketDirectory), { force: true })
}

async function endWorker(worker: Worker, purpose: Holder['purpose']) {
  const message: ToWorker = purpose === 'server' ? { close: 'busy', milliseconds: 3_000 } : { close: 'all', milliseconds: 30_000 }
  worker.postMessage(message)
  const patience = AbortSignal.timeout(message.milliseconds + 10_000)
  patience.addEventListener('abort', () => worker.terminate())
}
