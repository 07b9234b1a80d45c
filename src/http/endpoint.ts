import type { Static, TArray, TObject, TSchema } from 'typebox'
import type { Db, Json, JsonPage, JsonParts } from '../db/db.ts'
import type { Sql } from '../db/sql.ts'
import type { Connections } from '../providers/provider.ts'
import type { Actor } from './auth.ts'
import type { ApiError, ErrorCode } from './errors.ts'
import type { Change, Event } from './events.ts'
import type { Permission } from './permissions.ts'
import type { List } from './schema.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** What every endpoint says of itself; the whole of its surroundings is worked out from this. */
export type Contract = {
  /** Method and path below /api/v1, `GET /devices/{id}`. */
  route: `${Method} /${string}`
  /** Its OpenAPI operationId. */
  id: string
  summary: string
  description?: string
  /** Needed of the key and of the member; null where any valid key will do. */
  permission: Permission | null
  params?: TObject
  query?: TObject
  body?: TSchema
  response: TSchema
  /** Of success; 200 unless said. */
  status?: 201
  /** Codes beyond those every operation may answer. */
  errors?: readonly ErrorCode[]
  /** How the answer reads as a table, for a caller who accepts text/csv. An extension. */
  csv?: Table<Erased>
  /** Not in the contract: marked `x-steward-extension` in the OpenAPI document. */
  extension?: true
}

/** The columns of a table, and its rows out of what `data` holds: of an array, some of its items at a time. */
export type Table<Data> = { columns: readonly string[]; rows: (data: Data) => readonly object[] }

/** What a handler may answer: JSON from the database, or a value. A list answers a page; another array may come in parts. */
type Answer<R extends TSchema> =
  R extends List<infer Item>
    ? JsonPage<Static<Item>>
    : Json<Static<R>> | Static<R> | (R extends TArray<infer Item extends TSchema> ? JsonParts<Static<Item>> : never)

type Shape<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> = Omit<
  Contract,
  'params' | 'query' | 'body' | 'response' | 'csv'
> & {
  params?: P
  query?: Q
  body?: B
  response: R
  csv?: Table<Static<R>>
}
type Request<P extends TSchema, Q extends TSchema> = {
  actor: Actor
  params: Static<P>
  query: Static<Q>
  now: Date
  requestId: string
  config: EndpointConfig
  connections: Connections
}
type Handler<Given, R extends TSchema> = (request: Given) => Promise<Answer<R>> | Answer<R>
type None = TObject<Record<never, never>>

/** Settings an endpoint may depend on. */
export type EndpointConfig = {
  readonly lowBattery: number
  /** Milliseconds after which a device of which nothing was seen is stale. */
  readonly staleAfter: number
  /** Milliseconds that a request waits for a provider. */
  readonly providerTimeout: number
}

// Erased: once an endpoint stands in the table its input and answer types have done their work.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Erased = any

type Step = (request: Erased) => Promise<Erased> | Erased
export type ReadEndpoint = Contract & { kind: 'read'; handler: Step }
export type WriteEndpoint = Contract & { kind: 'write'; handler: Step; atOnce?: (request: Erased) => AtOnce }
export type CommandEndpoint = Contract & { kind: 'command'; begin: Step; act: Step; finish: Step; present: Step }
export type Endpoint = ReadEndpoint | WriteEndpoint | CommandEndpoint

/** A read: receives `db`. It changes nothing, so it may be worked out again when the caller's rights changed meanwhile. */
export function read<R extends TSchema, P extends TObject = None, Q extends TObject = None>(
  endpoint: Shape<P, Q, never, R> & { handler: Handler<Request<P, Q> & { db: Db }, R> },
): ReadEndpoint {
  return { ...endpoint, kind: 'read' }
}

/**
 * The plain case of a write as one statement: it makes one change, tells of one event, and returns one row, the JSON of the
 * answer as `answer`; or it changes nothing and returns no row, and the handler decides what that means. `also` makes a further
 * change, of what it reads from the relation `done`: that row, or none.
 */
export type AtOnce = { statement: Sql; event: Event; also: (done: Sql) => Sql }

/**
 * A write: receives `trx`, never `db`. Everything it does commits together, or not at all. Where it is called often, `atOnce`
 * saves its plain case four messages and a round trip; its statement must do nothing unless the condition `go` holds.
 */
export function write<R extends TSchema, P extends TObject = None, Q extends TObject = None, B extends TSchema = None>(
  endpoint: Shape<P, Q, B, R> & {
    handler: Handler<Request<P, Q> & { trx: Change; body: Static<B> }, R>
    atOnce?: (request: Request<P, Q> & { go: Sql; body: Static<B> }) => AtOnce
  },
): WriteEndpoint {
  return { ...endpoint, kind: 'write' }
}

/**
 * Takes one of the places for commands that wait for this account, until the command is over; asked for again, it changes
 * nothing. Throws ApiError `overloaded` where none is left, so that a provider that hangs takes no more than its share.
 */
export type Occupy = (accountId: string) => void

type Awaitable<T> = Promise<T> | T

/** What acting takes beside the request. */
export type Acting = { store: <T>(work: (change: Change) => Promise<T>) => Promise<T>; clock: () => Date }

/**
 * A command to the world outside. No transaction is open while it waits: the intent is stored first, so that it is sent at
 * most once whatever crashes, and what came of it is stored after.
 *
 * - `begin` stores the intent and names it. Throws ApiError to refuse. It occupies a place at the account that `act` waits for.
 * - `act` does it, and answers what came of it; a failure it foresees is an outcome too. With `store` it writes down, in a
 *   transaction of its own, what must be known before it goes on.
 * - `finish` stores the outcome and answers; its `now` is that of the outcome. An ApiError that it returns (not throws) is the answer, and what it stored stays.
 * - `present` answers from the command as it stands, for a request repeated under its Idempotency-Key meanwhile or after a crash.
 */
export function command<Outcome, R extends TSchema, P extends TObject = None, Q extends TObject = None, B extends TSchema = None>(
  endpoint: Shape<P, Q, B, R> & {
    begin: (request: Request<P, Q> & { trx: Change; body: Static<B>; occupy: Occupy }) => Awaitable<{ commandId: string }>
    act: (request: Request<P, Q> & Acting & { commandId: string; body: Static<B> }) => Awaitable<Outcome>
    finish: (request: Request<P, Q> & { trx: Change; commandId: string; outcome: Outcome }) => Awaitable<Answer<R> | ApiError>
    present: (request: Request<P, Q> & { db: Db; commandId: string; occupy: Occupy }) => Awaitable<Answer<R>>
  },
): CommandEndpoint {
  return { ...endpoint, kind: 'command' }
}

export const methodOf = (endpoint: Contract): Method => endpoint.route.split(' ')[0] as Method
export const pathOf = (endpoint: Contract): string => endpoint.route.split(' ')[1]!
export const isList = (endpoint: Contract): boolean =>
  (endpoint.response as TArray).type === 'array' && 'x-list' in endpoint.response
