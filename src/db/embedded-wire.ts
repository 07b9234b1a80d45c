/** What a connection asks for with the bytes it sent. */
export type Step =
  | { ask: 'say'; bytes: Buffer }
  | { ask: 'greet' }
  | { ask: 'run'; batch: Batch }
  | { ask: 'leave' }
  | { ask: 'expel'; reason: string }

/** Whole messages up to a Sync, a Query or (then `open`: more of the same belongs to it) a Flush. */
export type Batch = { bytes: Buffer; open: boolean }

const maxMessage = 256 * 1024 * 1024
const protocol3 = 3 << 16
const [cancelRequest, sslRequest, gssRequest] = [80877102, 80877103, 80877104]

type Reading = {
  /** Goes before each statement name: the engine knows one session, and the names of all connections with it. */
  prefix: string
  /** The names that are to be closed when the connection ends. */
  statements: Set<string>
  batch: Buffer[]
  greeted: boolean
  /** It may have prepared a statement that copies from the client. */
  copies: boolean
}

/** Cuts a connection's bytes into messages, and those into batches for the engine. */
export function reader(prefix: string, statements: Set<string>): (data: Buffer) => Step[] {
  const reading: Reading = { prefix, statements, batch: [], greeted: false, copies: false }
  let parts: Buffer[] = []
  let size = 0
  let needed = 0

  return (data) => {
    parts.push(data)
    size += data.length
    // Joined only when a message is whole: one of many megabytes would otherwise be copied with every packet.
    if (size < needed) return []
    const bytes = parts.length === 1 ? data : Buffer.concat(parts, size)
    const steps: Step[] = []
    let at = 0
    for (;;) {
      const header = reading.greeted ? 1 : 0
      needed = bytes.length - at < header + 4 ? header + 4 : header + bytes.readInt32BE(at + header)
      if (needed < header + 4 || needed > maxMessage) return [...steps, { ask: 'expel', reason: 'invalid message length' }]
      if (bytes.length - at < needed) break
      const message = bytes.subarray(at, at + needed)
      at += needed
      const step = reading.greeted ? typed(reading, message) : greeting(reading, message)
      if (step) steps.push(step)
      if (step?.ask === 'leave' || step?.ask === 'expel') return steps
    }
    parts = at < bytes.length ? [bytes.subarray(at)] : []
    size = bytes.length - at
    return steps
  }
}

function greeting(reading: Reading, message: Buffer): Step {
  const code = message.length < 8 ? 0 : message.readInt32BE(4)
  if (code === sslRequest || code === gssRequest) return { ask: 'say', bytes: Buffer.from('N') }
  if (code === cancelRequest) return { ask: 'leave' }
  if (code !== protocol3) return { ask: 'expel', reason: 'unsupported protocol version' }
  reading.greeted = true
  return { ask: 'greet' }
}

function typed(reading: Reading, message: Buffer): Step | undefined {
  const { prefix, statements, batch } = reading
  const ofStatement = message[5] === codeOf('S')
  switch (String.fromCharCode(message[0]!)) {
    case 'P':
      reading.copies ||= mayCopyIn(message)
      batch.push(named(prefix, message, 5, (name) => statements.add(name)))
      return
    case 'B':
      batch.push(named(prefix, message, message.indexOf(0, 5) + 1))
      return
    case 'D':
      batch.push(ofStatement ? named(prefix, message, 6) : message)
      return
    case 'C':
      batch.push(ofStatement ? named(prefix, message, 6, (name) => statements.delete(name)) : message)
      return
    case 'E':
      batch.push(message, ...(reading.copies ? [copyFail] : []))
      return
    case 'H':
      return finish(batch, true, message)
    case 'S':
      return finish(batch, false, message)
    case 'Q':
      return finish(batch, false, message, ...(mayCopyIn(message) ? [copyFail] : []))
    case 'X':
      return { ask: 'leave' }
    case 'd':
    case 'c':
    case 'f':
      return
    default:
      return { ask: 'expel', reason: 'unsupported message' }
  }
}

function finish(batch: Buffer[], open: boolean, ...messages: Buffer[]): Step {
  return { ask: 'run', batch: { bytes: Buffer.concat([...batch.splice(0), ...messages]), open } }
}

/** The message with the prefix before the statement name that stands at `at`. No name stays no name. */
function named(prefix: string, message: Buffer, at: number, note?: (name: string) => void): Buffer {
  const end = message.indexOf(0, at)
  if (at < 5 || end <= at) return message
  note?.(prefix + message.toString('utf8', at, end))
  const result = Buffer.concat([message.subarray(0, at), Buffer.from(prefix), message.subarray(at)])
  result.writeInt32BE(message.readInt32BE(1) + Buffer.byteLength(prefix), 1)
  return result
}

const codeOf = (letter: string) => letter.charCodeAt(0)

/** The engine ends itself when it waits for copy data; a refusal that follows at once makes an error of it. */
const copyFail = message('f', 'COPY FROM STDIN is not supported by the embedded database', 0)
const mayCopyIn = (text: Buffer) => /\bfrom\s+stdin\b/i.test(text.toString('latin1'))

function message(type: string, ...parts: (string | 0)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (part === 0 ? Buffer.alloc(1) : Buffer.from(part))))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** What a client sends first. */
export function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(protocol3, 4)
  return Buffer.concat([head, body])
}

/** The last words to a connection that is closed from this side. */
export const fatal = (code: string, reason: string): Buffer =>
  message('E', 'SFATAL', 0, 'VFATAL', 0, `C${code}`, 0, `M${reason}`, 0, 0)

/** Takes back what a connection left behind: a transaction, half a batch (no statement begins so, which is the point), its statements. */
export function farewell(statements: Iterable<string>): Batch {
  const abort = [message('P', 0, 'connection lost', 0, '\0\0'), message('S'), message('Q', 'rollback', 0)]
  const closes = [...statements].map((name) => message('C', `S${name}`, 0))
  return { bytes: Buffer.concat([...abort, ...closes, message('S')]), open: false }
}

/** I: idle, T: in a transaction, E: in a failed one; undefined when the answer does not end with ReadyForQuery. */
export function transactionStatus(answerEnd: Buffer): string | undefined {
  const ready = answerEnd.length === 6 && answerEnd[0] === codeOf('Z') && answerEnd.readInt32BE(1) === 5
  return ready ? String.fromCharCode(answerEnd[5]!) : undefined
}
