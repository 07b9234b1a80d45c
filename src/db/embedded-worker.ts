import { chmodSync, closeSync, existsSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { open as openFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Extension, PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { type EngineSocket, serveEngine } from './embedded-socket.ts'
import { startup } from './embedded-wire.ts'

/** What embedded.ts hands to this thread, and what the two say to each other. */
export type Input = { cluster: string; socket: string; sync: boolean; idleInTransaction: number }
export type ToWorker = { close: 'all' | 'busy'; milliseconds: number }
export type FromWorker = { progress: string } | { broken: string } | 'ready'

const input = workerData as Input
const port = parentPort!
const say = (message: FromWorker) => port.postMessage(message)

/** The engine's file system does not know fsync; with it, a commit survives a power failure as it does in PostgreSQL. */
const syncToDisk: Extension = {
  name: 'syncToDisk',
  setup: async (_db, options) => ({ emscriptenOpts: { ...options, preRun: [...options.preRun, addSync] } }),
}

type NodeStream = { nfd?: number; node: object }
type NodeFiles = { stream_ops: { fsync?: (stream: NodeStream) => number }; realPath: (node: object) => string }

function addSync({ FS }: { FS: { filesystems: { NODEFS: NodeFiles } } }) {
  const { NODEFS } = FS.filesystems
  NODEFS.stream_ops.fsync = ({ nfd, node }) => {
    // Directories are opened without a descriptor.
    if (nfd === undefined) flush(NODEFS.realPath(node))
    else fdatasyncSync(nfd)
    return 0
  }
}

if (!existsSync(join(input.cluster, 'PG_VERSION'))) await create()
chmodSync(input.cluster, 0o700)
const db = await open(input.cluster)
endWhenBroken(db.Module as unknown as { _PostgresMainLoopOnce: () => void })
const socket = await serve()
// What fails is tried again a minute later; it is no reason to end.
const housekeeping = setInterval(() => vacuum().catch(() => {}), 60_000)
port.once('message', (message: ToWorker) => void close(message))
say('ready')

/** A cluster exists under its own name only when it is complete: what a killed start left behind is made anew. */
async function create() {
  say({ progress: 'creating the embedded database (a few seconds, once)' })
  const unfinished = `${input.cluster}.new`
  rmSync(unfinished, { recursive: true, force: true })
  const fresh = await open(unfinished)
  await fresh.close()
  if (input.sync) await flushAll(unfinished)
  renameSync(unfinished, input.cluster)
  if (input.sync) flush(dirname(input.cluster))
}

async function open(dataDir: string): Promise<PGlite> {
  const complaints: string[] = []
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => !input.sync || parameter !== '-F'),
    // Of PostgreSQL's methods the only one that reaches syncToDisk.
    ...['-c', 'wal_sync_method=fsync'],
    // Bounds the time to come back after a crash, and the space on disk.
    ...['-c', 'max_wal_size=128MB', '-c', 'min_wal_size=32MB'],
  ]
  try {
    return await PGlite.create({
      dataDir,
      extensions: { pg_trgm, unaccent, btree_gin, ...(input.sync ? { syncToDisk } : {}) },
      startParams,
      onStderr: (line) => {
        if (complaints.push(line) > 20) complaints.shift()
        return false
      },
    })
  } catch (error) {
    throw new Error([`The embedded database at ${dataDir} does not open: ${(error as Error).message}`, ...complaints].join('\n'))
  }
}

function flush(path: string) {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Several at once: a disk does that in far less time than one after the other. */
async function flushAll(directory: string) {
  const paths = await readdir(directory, { recursive: true })
  const flushSome = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const file = await openFile(join(directory, path))
      await file.sync()
      await file.close()
    }
  }
  await Promise.all(Array.from({ length: 8 }, flushSome))
}

/** PGlite swallows what it does not know, a stack overflow say, and would call the broken engine for ever. */
function endWhenBroken(engine: { _PostgresMainLoopOnce: () => void }) {
  const mainLoop = engine._PostgresMainLoopOnce
  const longJump = 100
  engine._PostgresMainLoopOnce = () => {
    try {
      mainLoop()
    } catch (error) {
      if ((error as { status?: number }).status === longJump) throw error
      say({ broken: String(error) })
      process.exit(1)
    }
  }
}

async function serve(): Promise<EngineSocket> {
  const engine = (messages: Uint8Array, answer: (bytes: Uint8Array) => void) =>
    db.execProtocolRawStream(messages, { syncToFs: false, onRawData: answer })
  const greeting: Uint8Array[] = []
  await engine(startup('postgres', 'postgres'), (bytes) => greeting.push(bytes.slice()))
  return serveEngine({
    path: input.socket,
    greeting: Buffer.concat(greeting),
    engine,
    idleInTransaction: input.idleInTransaction,
  })
}

/** The engine has no autovacuum: this is its work, by its thresholds, one table at a time so that nobody waits for long. */
async function vacuum() {
  const { rows } = await socket.exclusively(() =>
    db.query<{ name: string }>(`
      select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
      where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`),
  )
  for (const { name } of rows) await socket.exclusively(() => db.exec(`vacuum (analyze) ${name}`))
}

async function close(message: ToWorker) {
  clearInterval(housekeeping)
  await socket.close(message.close, message.milliseconds)
  await db.close()
  process.exit(0)
}
