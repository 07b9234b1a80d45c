import type { FastifyRequest } from 'fastify'
import type { Database } from '../db/db.ts'
import type { Place } from './command-places.ts'
import type { CommandEndpoint } from './endpoint.ts'
import { dataText, errorText } from './envelope.ts'
import { ApiError } from './errors.ts'
import { type Change, changing, recording } from './events.ts'
import { forget, isFinal, type Stored, settle } from './idempotency.ts'
import { causeOf, type Given, runWrite, type Written } from './write.ts'

/**
 * A command, whole: the intent and the claim of its Idempotency-Key commit together; then it acts, with no transaction
 * open; then outcome, events and stored answer commit together. A repeated request never acts again: it is answered from
 * the stored outcome, or, where that is missing because the first is still at it or has died, from the command as it stands.
 */
export async function runCommand(
  endpoint: CommandEndpoint,
  { database, clock, place }: { database: Database; clock: () => Date; place: Place },
  request: FastifyRequest,
  parts: Given,
): Promise<Written> {
  // The same account id may stand in two organizations.
  const occupy = (accountId: string) => place.occupy(`${parts.actor.organizationId}/${accountId}`)
  try {
    return await run(endpoint, { database, clock }, request, { ...parts, occupy })
  } finally {
    place.leave()
  }
}

async function run(
  endpoint: CommandEndpoint,
  { database, clock }: { database: Database; clock: () => Date },
  request: FastifyRequest,
  given: Given,
): Promise<Written> {
  const begun = await runWrite(endpoint, database, request, given)
  const { commandId, stamp, replayed } = begun
  if (commandId === undefined) return begun
  if (replayed) {
    const answer = await endpoint.present({ ...given, db: database.reader().db, commandId })
    return { status: endpoint.status ?? 200, text: dataText(answer), stamp, replayed }
  }
  const store = <T>(work: (change: Change) => Promise<T>) => changing(database, causeOf(request, given), clock(), work)
  const outcome = await endpoint.act({ ...given, commandId, store, clock })
  return finish(endpoint, database, request, { ...given, now: clock(), commandId, outcome }, stamp)
}

type Acted = Given & { commandId: string; outcome: unknown }

async function finish(
  endpoint: CommandEndpoint,
  database: Database,
  request: FastifyRequest,
  acted: Acted,
  stamp: string | null,
): Promise<Written> {
  const { actor, key, now } = acted
  return database.transaction(async (trx) => {
    const { change, takeEvents } = recording(trx, causeOf(request, acted), now)
    const answer: object = await endpoint.finish({ ...acted, trx: change })
    const error = answer instanceof ApiError ? answer : undefined
    const kept: Stored = error
      ? { status: error.status, text: errorText(error) }
      : { status: endpoint.status ?? 200, text: dataText(answer) }
    const events = takeEvents()
    if (events) await trx.run(events)
    // An answer that is not final frees the key: the retry is a new command.
    if (key) await trx.run(error && !isFinal(error.status) ? forget(actor, key) : settle(actor, key, kept))
    return { ...kept, stamp, replayed: false, ...(error ? { error } : {}) }
  })
}
