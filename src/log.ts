import { isatty } from 'node:tty'
import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import { withoutSecrets } from './log-secrets.ts'

export type Log = Logger

/** What must not be read in a log, should anyone ever log it: codes, who a guest is, and everything that a request holds. */
const secretFields = [
  'authorization',
  'key',
  'headers',
  'body',
  'query',
  'fixedCode',
  'codeDisplay',
  'groupCodeDisplay',
  'internalAccessNotes',
  'guestFirstName',
  'guestLastName',
  'guestEmail',
  'guestPhone',
]

/**
 * The log: readable lines on a terminal, JSON otherwise, on standard error, so that standard output is left to answers.
 * JSON lines are collected and written together, four times a second at the latest, and at once where a problem is fatal
 * or `flush` is called.
 */
export function openLog({ level, fd = 2, terminal = isatty(fd) }: { level: string; fd?: number; terminal?: boolean }): {
  log: Log
  flush: () => void
} {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError, req: ({ method }) => ({ method }), res: ({ statusCode }) => ({ statusCode }) },
    // Paths one level deep are cheap; `*.field` would treble the cost of every line.
    redact: { paths: secretFields, censor: '[redacted]' },
    hooks: { streamWrite: withoutSecrets },
  }
  if (terminal) {
    const stream = pretty({ destination: fd, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true })
    return { log: pino(options, stream), flush: () => {} }
  }
  const destination = pino.destination({
    dest: fd,
    sync: false,
    minLength: 4096,
    maxLength: 64 * 1024 * 1024,
    periodicFlush: 250,
  })
  return { log: pino(options, destination), flush: () => destination.flushSync() }
}

type Failure = Error & { code?: string; severity?: string; table?: string; constraint?: string; routine?: string }

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack = '', code, severity, table, constraint, routine, cause } = error as Failure
  const fields = {
    type: name,
    code,
    table,
    constraint,
    routine,
    ...(cause === undefined ? {} : { cause: serializeError(cause) }),
  }
  if (!severity) return { message, stack, ...fields }
  return { message: withoutValues(message, code), stack: stack.slice(stack.indexOf('\n    at ') + 1), ...fields }
}

/** PostgreSQL quotes the values it refuses (class 22, and after a colon), which may be a guest's; so `detail` is left out too. */
function withoutValues(message: string, code = ''): string {
  return message.replace(code.startsWith('22') ? /".*"/s : /: ".*/s, (match) =>
    match.startsWith(':') ? ': [redacted]' : '[redacted]',
  )
}
