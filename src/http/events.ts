import { isDeepStrictEqual } from 'node:util'
import { v7 } from 'uuid'
import type { Trx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Who caused a change, and by which request; all null for what the service does by itself. */
export type Cause = {
  organizationId: string
  memberId: string | null
  keyId: string | null
  requestId: string | null
  idempotencyKey: string | null
}

/** One change of one thing. `changes` says what, before and after: `{ status: { from: 'paused', to: 'completed' } }`. */
export type Event = { type: string; entityType: string; entityId: string; changes?: Record<string, unknown> }

/** The fields whose values differ, as an event tells them; all of `before` but `updatedAt` unless others are named. */
export function changesBetween<T extends object>(
  before: T,
  after: T,
  fields: readonly (keyof T & string)[] = Object.keys(before).filter((name) => name !== 'updatedAt') as (keyof T & string)[],
): Record<string, { from: unknown; to: unknown }> {
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]))
}

/** The same, as nothing but the new values. */
export function changedIn<T extends object>(before: T, after: T, fields?: readonly (keyof T & string)[]): Partial<T> {
  const changes = changesBetween(before, after, fields)
  return Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to])) as Partial<T>
}

/** A transaction whose changes are told: every write appends to `events` what it did, in the same transaction. */
export type Change = Trx & { event(event: Event): void }

/** `trx` that notes events, and the statement that appends what was noted so far (undefined for nothing). */
export function recording(trx: Trx, cause: Cause, now: Date): { change: Change; takeEvents: () => Sql | undefined } {
  let noted: Event[] = []
  return {
    change: { ...trx, event: (event) => void noted.push(event) },
    takeEvents() {
      const events = noted
      noted = []
      return events.length === 0 ? undefined : append(events, cause, now)
    },
  }
}

const columns = sql`organization_id, id, type, entity_type, entity_id, member_id, api_key_id, request_id, idempotency_key, changes,
  created_at`

const values = ({ type, entityType, entityId, changes = {} }: Event, cause: Cause, now: Date): Sql =>
  sql`${cause.organizationId}, ${v7()}, ${type}, ${entityType}, ${entityId}, ${cause.memberId}, ${cause.keyId}, ${cause.requestId},
    ${cause.idempotencyKey}, ${JSON.stringify(changes)}, ${now}`

/** Several go in as one value: a statement has room for some thousand, and a sync may tell of more. */
function append(events: readonly Event[], cause: Cause, now: Date): Sql {
  const [first, ...more] = events
  if (more.length === 0) return sql`insert into events (${columns}) values (${values(first!, cause, now)})`
  const rows = events.map(({ type, entityType: entity_type, entityId: entity_id, changes = {} }) => {
    return { id: v7(), type, entity_type, entity_id, changes }
  })
  return sql`insert into events (${columns})
    select ${cause.organizationId}::uuid, e.id, e.type, e.entity_type, e.entity_id, ${cause.memberId}::uuid, ${cause.keyId}::uuid,
      ${cause.requestId}, ${cause.idempotencyKey}, e.changes, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) e (id uuid, type text, entity_type text, entity_id uuid, changes jsonb)`
}

/** The statement that appends `event` once for each row of `from`. */
export const appendFor = (from: Sql, event: Event, cause: Cause, now: Date): Sql =>
  sql`insert into events (${columns}) select ${values(event, cause, now)} from ${from}`

/** Runs `work` in a transaction of its own whose events commit with it: for what changes data without a request. */
export async function changing<T>(
  database: { transaction<R>(work: (trx: Trx) => Promise<R>): Promise<R> },
  cause: Cause,
  now: Date,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return database.transaction(async (trx) => {
    const { change, takeEvents } = recording(trx, cause, now)
    const result = await work(change)
    const events = takeEvents()
    if (events) await trx.run(events)
    return result
  })
}
