import { createHash } from 'node:crypto'
import type { Database, Trx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Actor, witness } from './auth.ts'
import { ApiError, type Issue, type Status } from './errors.ts'

/** The Idempotency-Key of a request, as what it protects and with what content. */
export type IdempotencyKey = { key: string; scope: Buffer; body: Buffer }

/** A final outcome: what a request with the same key is answered again. `text` is the JSON of `data`, or of `error`. */
export type Stored = { status: number; text: string }

/** A command that was begun under the key and is not known to have ended. */
export type Claimed = { commandId: string }

/** docs/decisions.md: stored outcomes are kept for a day. */
export const retentionHours = 24

/** 2xx, 404, 409 and 422 are final; a request that was answered otherwise ran nothing and may be tried again. */
export const isFinal = (status: Status | 200 | 201): boolean => status < 300 || status === 404 || status === 409 || status === 422

/**
 * The header as a key, undefined where there is none, or what is wrong with it. 1 to 255 printable ASCII characters,
 * bare or quoted as a structured-field string (IETF draft-ietf-httpapi-idempotency-key-header, section 2.1).
 */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  request: { actor: Actor; method: string; path: string; body: unknown },
): IdempotencyKey | undefined | Issue {
  if (header === undefined) return undefined
  const text = String(header).trim()
  const key = /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : text
  if (!/^[\x20-\x7e]{1,255}$/.test(key) || key.trim() === '') {
    return { path: 'header.idempotency-key', code: 'format', message: 'must be 1 to 255 printable ASCII characters' }
  }
  const { actor, method, path, body } = request
  return { key, scope: digest(JSON.stringify([actor.keyId, method, path, key])), body: digest(canonical(body)) }
}

export type Opening = {
  stamp: string | null
  free?: boolean
  status?: Status | null
  text?: string
  /** The command that the key stands for, while its outcome is not stored. */
  commandId?: string | null
  same?: boolean | null
  expired?: boolean | null
}

/** The lock ends with the transaction. Without it a second request would wait for the first instead of hearing 409. */
const lock = (key: IdempotencyKey): Sql => sql`pg_try_advisory_xact_lock(${key.scope.readBigInt64BE().toString()})`

/** Whether a write may run in the plainest way: the caller's rights are as they were and nothing is known of the key. */
export function mayRun(actor: Actor, key: IdempotencyKey | undefined): Sql {
  const standing = sql`(${witness(actor)}) = ${actor.stamp}`
  if (!key) return standing
  return sql`${standing} and ${lock(key)} and not exists (
    select from idempotency_records where organization_id = ${actor.organizationId} and scope_digest = ${key.scope})`
}

/** What a write begins with, in one statement: the caller's rights of this moment and, with a key, whether it was used before. */
export async function open(trx: Trx, actor: Actor, key: IdempotencyKey | undefined, now: Date): Promise<Opening> {
  if (!key) return (await trx.rows<Opening>(sql`select (${witness(actor)}) as stamp`))[0]!
  const [opening] = await trx.rows<Opening>(sql`
    select (${witness(actor)}) as stamp, ${lock(key)} as free,
      r.status, r.body as text, r.command_id as "commandId", r.body_digest = ${key.body} as same,
      r.created_at <= ${now}::timestamptz - make_interval(hours => ${retentionHours}) as expired
    from (select) one left join idempotency_records r
      on r.organization_id = ${actor.organizationId} and r.scope_digest = ${key.scope}`)
  return opening!
}

/**
 * What is stored for the key: an outcome, or a command under way. Undefined where the operation is to run. Throws 409 while
 * another runs, 422 for another body.
 */
export function replayOf(opening: Opening): Stored | Claimed | undefined {
  const { status, text, commandId, same, expired } = opening
  if ((status != null || commandId != null) && !expired) {
    if (!same) throw new ApiError('idempotency_key_reused')
    return status == null ? { commandId: commandId! } : { status, text: text! }
  }
  if (!opening.free) throw new ApiError('idempotency_in_progress')
  return undefined
}

const columns = sql`organization_id, scope_digest, body_digest, request_id, created_at, status, body, command_id`

const keyed = (actor: Actor, key: IdempotencyKey, requestId: string, now: Date): Sql =>
  sql`${actor.organizationId}, ${key.scope}, ${key.body}, ${requestId}, ${now}`

/** The statement that stores an outcome. A unique violation says that another request was first. */
export function record(actor: Actor, key: IdempotencyKey, requestId: string, kept: Stored | Claimed, now: Date): Sql {
  const { status = null, text = null, commandId = null } = kept as Partial<Stored & Claimed>
  return sql`insert into idempotency_records (${columns})
    values (${keyed(actor, key, requestId, now)}, ${status}, ${text}, ${commandId})`
}

/** The same for the outcome `status` whose text is the column `answer` of `from`. */
export const recordFor = (from: Sql, actor: Actor, key: IdempotencyKey, requestId: string, status: number, now: Date): Sql =>
  sql`insert into idempotency_records (${columns}) select ${keyed(actor, key, requestId, now)}, ${status}, answer, null from ${from}`

/** The statement that stores the outcome of a command whose claim stands. */
export const settle = (actor: Actor, key: IdempotencyKey, { status, text }: Stored): Sql =>
  sql`update idempotency_records set status = ${status}, body = ${text}
    where organization_id = ${actor.organizationId} and scope_digest = ${key.scope}`

export const forget = (actor: Actor, key: IdempotencyKey): Sql =>
  sql`delete from idempotency_records where organization_id = ${actor.organizationId} and scope_digest = ${key.scope}`

/** Deletes what is older than the retention, a bounded number at a time, and answers how many. */
export async function forgetExpired(database: Database, now: Date): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await database.transaction((trx) =>
      trx.run(sql`delete from idempotency_records where (organization_id, scope_digest) in (
        select organization_id, scope_digest from idempotency_records
        where created_at <= ${now}::timestamptz - make_interval(hours => ${retentionHours})
        order by created_at limit 1000 for update skip locked)`),
    )
    total += deleted
    if (deleted < 1000) return total
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** JSON with the keys of every object in order: what two bodies must agree in to be the same. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
}
