import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Batch, farewell, fatal, reader, type Step, transactionStatus } from './embedded-wire.ts'

/** Runs whole protocol messages to their end. The bytes it hands out are valid only during the call. */
export type Engine = (messages: Uint8Array, answer: (bytes: Uint8Array) => void) => Promise<void>

export type EngineSocket = {
  /** Runs `work` while no connection has a statement or a transaction under way. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Takes no more connections, gives `whom` that much time to leave, and ends the rest. */
  close(whom: 'all' | 'busy', milliseconds: number): Promise<void>
}

type Options = {
  path: string
  /** What the engine says to a new connection. */
  greeting: Uint8Array
  engine: Engine
  /** Milliseconds that a connection may hold a transaction without sending anything. */
  idleInTransaction: number
}

type Session = {
  socket: Socket
  statements: Set<string>
  ready: Batch[]
  inLine: boolean
  /** Said goodbye: it ends when what it sent before is done. */
  leaving: boolean
  gone: boolean
}

type Job = () => Promise<void>

const maxConnections = 1000
const maxReady = 100

type Counter = Options & {
  sessions: Set<Session>
  line: (Session | Job)[]
  /** Whoever is in a transaction. */
  owner: Session | undefined
  running: boolean
  idle: NodeJS.Timeout | undefined
  opened: number
}

/**
 * Serves one engine, which knows a single session, to many connections. What a connection sends up to its Sync runs in one
 * piece, and an open transaction keeps the others waiting. A connection that ends has its transaction rolled back and its
 * prepared statements closed; one that idles in a transaction for too long is ended.
 */
export async function serveEngine(options: Options): Promise<EngineSocket> {
  const counter: Counter = {
    ...options,
    sessions: new Set(),
    line: [],
    owner: undefined,
    running: false,
    idle: undefined,
    opened: 0,
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => open(counter, socket))
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(options.path, resolve))
  return {
    exclusively: (work) => exclusively(counter, work),
    async close(whom, milliseconds) {
      const closed = new Promise((resolve) => server.close(resolve))
      const busy = (session: Session) => whom === 'all' || session === counter.owner || session.ready.length > 0
      const deadline = Date.now() + milliseconds
      while (Date.now() < deadline && [...counter.sessions].some(busy)) await sleep(20)
      for (const session of [...counter.sessions]) {
        leave(counter, session)
        session.socket.destroy()
      }
      await closed
      // Behind every farewell in the line.
      await exclusively(counter, async () => {})
    },
  }
}

function open(counter: Counter, socket: Socket) {
  const session: Session = { socket, statements: new Set(), ready: [], inLine: false, leaving: false, gone: false }
  counter.sessions.add(session)
  counter.opened += 1
  const read = reader(`${counter.opened}.`, session.statements)
  socket.on('data', (data) => {
    if (!session.leaving && !session.gone) for (const step of read(data)) take(counter, session, step)
  })
  socket.on('end', () => take(counter, session, { ask: 'leave' }))
  socket.on('drain', () => pump(counter))
  socket.on('close', () => leave(counter, session))
  // 'close' follows.
  socket.on('error', () => {})
}

function take(counter: Counter, session: Session, step: Step) {
  if (step.ask === 'say') session.socket.write(step.bytes)
  else if (step.ask === 'greet') session.socket.write(counter.greeting)
  else if (step.ask === 'run') enter(counter, session, step.batch)
  else if (step.ask === 'expel') expel(counter, session, '08P01', step.reason)
  else {
    session.leaving = true
    if (session.ready.length === 0) leave(counter, session)
  }
}

function enter(counter: Counter, session: Session, batch: Batch) {
  session.ready.push(batch)
  if (session.ready.length > maxReady) session.socket.pause()
  if (session !== counter.owner) standInLine(counter, session)
  pump(counter)
}

function standInLine({ line }: Counter, session: Session) {
  if (!session.inLine) line.push(session)
  session.inLine = true
}

function expel(counter: Counter, session: Session, code: string, reason: string) {
  session.socket.write(fatal(code, reason))
  leave(counter, session)
}

function leave(counter: Counter, session: Session) {
  if (session.gone) return
  session.gone = true
  counter.sessions.delete(session)
  session.socket.destroySoon()
  session.ready = []
  if (session === counter.owner || session.statements.size > 0) enter(counter, session, farewell(session.statements))
}

/** Whoever is in a transaction before all others, and nobody whose last answer is still on its way. */
function next({ owner, line }: Counter): Session | Job | undefined {
  const takesAnswers = (session: Session) => session.gone || !session.socket.writableNeedDrain
  if (owner) return owner.ready.length > 0 && takesAnswers(owner) ? owner : undefined
  const index = line.findIndex((one) => typeof one === 'function' || takesAnswers(one))
  return index < 0 ? undefined : line.splice(index, 1)[0]
}

function pump(counter: Counter) {
  if (counter.running) return
  counter.running = true
  void (async () => {
    for (let one = next(counter); one; one = next(counter)) await (typeof one === 'function' ? one() : run(counter, one))
    counter.running = false
  })()
}

async function run(counter: Counter, session: Session) {
  if (session !== counter.owner) session.inLine = false
  const batch = session.ready.shift()
  if (!batch) return
  clearTimeout(counter.idle)
  const status = await answer(counter, session, batch)
  counter.owner = batch.open || status !== 'I' ? session : undefined
  if (session.gone && counter.owner && session.ready.length === 0) session.ready.push(farewell(session.statements))
  if (session.gone) return
  if (session.ready.length > 0 && !counter.owner) standInLine(counter, session)
  if (session.ready.length === 0 && session.leaving) leave(counter, session)
  // It has sent nothing more, or does not read its answers.
  else if (counter.owner && !next(counter)) {
    const reason = 'terminating connection due to idle-in-transaction timeout'
    counter.idle = setTimeout(expel, counter.idleInTransaction, counter, session, '25P03', reason)
  }
  if (session.ready.length <= maxReady) session.socket.resume()
}

/** What the engine says at the end about the transaction: see transactionStatus. */
async function answer({ engine }: Counter, { socket, gone }: Session, batch: Batch): Promise<string | undefined> {
  let end: Buffer = Buffer.alloc(0)
  socket.cork()
  await engine(batch.bytes, (bytes) => {
    const copy = Buffer.from(bytes)
    end = copy.length < 6 ? Buffer.concat([end, copy]).subarray(-6) : copy.subarray(-6)
    if (!gone) socket.write(copy)
  })
  socket.uncork()
  const status = transactionStatus(end)
  // An engine that does not come to its ReadyForQuery has broken off inside, and would answer nobody after this.
  if (!batch.open && !status) throw new Error('The embedded database broke off in the middle of a statement')
  return status
}

function exclusively<T>(counter: Counter, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    counter.line.push(() => work().then(resolve, reject))
    pump(counter)
  })
}
