import type { FastifyRequest } from 'fastify'
import type { Database, Trx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Actor } from './auth.ts'
import type { CommandEndpoint, Occupy, WriteEndpoint } from './endpoint.ts'
import { dataText, errorText } from './envelope.ts'
import { ApiError } from './errors.ts'
import { appendFor, type Cause, type Change, recording } from './events.ts'
import {
  type Claimed,
  forget,
  type IdempotencyKey,
  isFinal,
  mayRun,
  type Opening,
  open,
  record,
  recordFor,
  replayOf,
  type Stored,
} from './idempotency.ts'

export type Given = { actor: Actor; now: Date; key: IdempotencyKey | undefined; occupy?: Occupy }
/** What came of a write, or the command that was begun. `stamp` is the caller's, as the transaction saw it. */
export type Written = Stored & Partial<Claimed> & { stamp: string | null; replayed: boolean; error?: ApiError }

/**
 * A write, whole: the caller's rights, the claim of its Idempotency-Key, the operation, its events and the stored outcome
 * commit together or leave nothing. The operation starts without waiting for the claim, to save a round trip: where the
 * claim then says that it must not run, the transaction is abandoned.
 */
export async function runWrite(
  endpoint: WriteEndpoint | CommandEndpoint,
  database: Database,
  request: FastifyRequest,
  given: Given,
): Promise<Written> {
  for (let tries = 1; ; tries++) {
    try {
      const plain = tries === 1 && endpoint.kind === 'write' && (await inOneStatement(endpoint, database, request, given))
      if (plain) return plain
      const written = await database.transaction((trx) => attempt(endpoint, trx, request, given))
      return written.error && given.key ? await storeRefusal(database, request, given, given.key, written) : written
    } catch (error) {
      if (!isRace(error) || tries === 4) throw error
    }
  }
}

/** The plain case, where the endpoint has one: undefined where it was not plain, and nothing has happened. */
async function inOneStatement(
  endpoint: WriteEndpoint,
  database: Database,
  request: FastifyRequest,
  given: Given,
): Promise<Written | undefined> {
  if (!endpoint.atOnce) return undefined
  const { actor, key, now } = given
  const operation = sql`operation`
  const status = endpoint.status ?? 200
  const { statement, event, also } = endpoint.atOnce({ ...given, go: sql`(select may_run from opening)` })
  const stored = key ? sql`, stored as (${recordFor(operation, actor, key, request.id, status, now)})` : sql``
  const [done] = await database.atOnce<{ answer: string }>(sql`
    with opening as materialized (select ${mayRun(actor, key)} as may_run), operation as (${statement}), further as (${also(operation)}),
      told as (${appendFor(operation, event, causeOf(request, given), now)})${stored}
    select answer from operation`)
  return done && { status, text: done.answer, stamp: actor.stamp, replayed: false }
}

async function attempt(
  endpoint: WriteEndpoint | CommandEndpoint,
  trx: Trx,
  request: FastifyRequest,
  given: Given,
): Promise<Written> {
  const { actor, now, key } = given
  const opening = open(trx, actor, key, now)
  const { change, takeEvents } = recording(trx, causeOf(request, given), now)
  const result = await operate(endpoint, change, given)

  const opened = await opening
  const earlier = earlierOf(opened, given)
  if (earlier) {
    trx.abandon()
    return earlier
  }
  if ('failure' in result) {
    const { failure } = result
    if (!key || !(failure instanceof ApiError) || !isFinal(failure.status)) throw failure
    trx.abandon()
    return { status: failure.status, text: errorText(failure), stamp: opened.stamp, replayed: false, error: failure }
  }
  const events = takeEvents()
  if (endpoint.kind === 'command') {
    const claim = result.answer as Claimed
    close(trx, request, given, { kept: claim, opened, events })
    return { status: 0, text: '', ...claim, stamp: opened.stamp, replayed: false }
  }
  const outcome: Stored = { status: endpoint.status ?? 200, text: dataText(result.answer) }
  close(trx, request, given, { kept: outcome, opened, events })
  return { ...outcome, stamp: opened.stamp, replayed: false }
}

/**
 * A refusal is final, and stored in a transaction after the one it undid. Whoever was first in between is right: its
 * outcome is answered.
 */
async function storeRefusal(
  database: Database,
  request: FastifyRequest,
  given: Given,
  key: IdempotencyKey,
  refused: Written,
): Promise<Written> {
  return database.transaction(async (trx) => {
    const opened = await open(trx, given.actor, key, given.now)
    const earlier = earlierOf(opened, given)
    if (!earlier) close(trx, request, given, { kept: refused, opened, events: undefined })
    return earlier ?? refused
  })
}

/** What is answered without the operation: the stored outcome, or, by its stamp, that the caller's rights have changed. */
function earlierOf(opened: Opening, { actor, key }: Given): Written | undefined {
  if (opened.stamp !== actor.stamp) return { status: 0, text: '', stamp: opened.stamp, replayed: false }
  const stored = key && replayOf(opened)
  return stored && { status: 0, text: '', ...stored, stamp: opened.stamp, replayed: true }
}

type Closing = { kept: Stored | Claimed; opened: Opening; events: Sql | undefined }

/** Sends what commits with the operation. It need not be awaited: what fails here fails the transaction. */
function close(trx: Trx, request: FastifyRequest, { actor, now, key }: Given, { kept, opened, events }: Closing): void {
  const send = (statement: Sql) => void trx.run(statement).catch(() => {})
  if (key && opened.expired) send(forget(actor, key))
  const stored = key && record(actor, key, request.id, kept, now)
  if (stored && events) send(sql`with events as (${events}) ${stored}`)
  else if (stored ?? events) send((stored ?? events)!)
}

export function causeOf(request: FastifyRequest, { actor, key }: Given): Cause {
  return {
    organizationId: actor.organizationId,
    memberId: actor.memberId,
    keyId: actor.keyId,
    requestId: request.id,
    idempotencyKey: key?.key ?? null,
  }
}

/** The operation's answer or failure, as a value: what to do with either depends on the claim. */
async function operate(
  endpoint: WriteEndpoint | CommandEndpoint,
  trx: Change,
  given: Given,
): Promise<{ answer: object } | { failure: unknown }> {
  const run = endpoint.kind === 'write' ? endpoint.handler : endpoint.begin
  try {
    return { answer: await run({ ...given, trx }) }
  } catch (failure) {
    return { failure }
  }
}

/** Two requests met: the same key was stored a moment earlier, or PostgreSQL ended a deadlock. The second try sees the first. */
function isRace(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '40P01' || code === '40001' || (code === '23505' && constraint === 'idempotency_records_pkey')
}
