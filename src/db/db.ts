import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Projection } from './projection.ts'
import { compile, raw, type Sql, type Statement, sql } from './sql.ts'

declare const saysType: unique symbol

/** JSON text that PostgreSQL built, and in its type what it says. It is sent as it is, never parsed. */
export type Json<T> = { readonly text: string; readonly [saysType]?: T }
/** A page of a list as JSON text, with the pagination that `meta` reports. */
export type JsonPage<T> = { readonly items: string; readonly pagination: Pagination; readonly [saysType]?: T }
/** The items of an array in parts, in order: each the JSON texts of some, joined by commas. Empty where a part has none. */
export type JsonParts<T> = { readonly parts: readonly (() => Promise<string>)[]; readonly [saysType]?: T }
export type Pagination = { limit: number; offset: number; total: number }

type OneQuery<T> = { row: Projection<T>; from: Sql }
/** `total` is a scalar for the number of rows, where something dearer than a look knows it: else they are counted. `from` begins with the rows' table and its alias, `as` repeats the alias, and `order` needs nothing but its columns. */
type PageQuery<T> = OneQuery<T> & { as: string; order: Sql; limit: number; offset: number; total?: Sql | undefined }

/** What a read may do. */
export type Db = {
  /** The single row of `from` (with its joins and conditions), or undefined. */
  one<T>(query: OneQuery<T>): Promise<Json<T> | undefined>
  /** A page of `from`, and how many rows there are in all; one statement. */
  page<T>(query: PageQuery<T>): Promise<JsonPage<T>>
  /**
   * What may be too long for one answer in memory: a statement for each of `from`, run when its part is asked for. Rows come
   * in groups `by`, in their order, and within by `order`: PostgreSQL sends one group while it reads the next.
   */
  parts<T>(query: { row: Projection<T>; from: readonly Sql[]; by: Sql; order: Sql }): JsonParts<T>
  /** Plain rows, for what Node must look at. */
  rows<Row extends object>(statement: Sql): Promise<Row[]>
}

/** What a write may do: all of it commits together, or none. */
export type Trx = Db & {
  /** Runs a statement and answers how many rows it touched. */
  run(statement: Sql): Promise<number>
  /** The transaction ends without a trace, although its work returns. */
  abandon(): void
}

export type Database = {
  /**
   * Reads outside a transaction. With a `witness`, every row, page and part is read together with that scalar, in one
   * snapshot. A part that is under way when `gone` is aborted is given up; so are those after it.
   */
  reader(witness?: Sql, gone?: () => AbortSignal): { db: Db; witnessed: () => string | null | undefined }
  /**
   * Runs `work` in a transaction and commits. A statement need not be awaited before the next: they are sent at once and
   * run in order, and one that fails fails the whole.
   */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>
  /** The rows of one statement that is a transaction of its own. */
  atOnce<Row extends object>(statement: Sql): Promise<Row[]>
  close(): Promise<void>
}

export type DatabaseOptions = {
  connection: string | { host: string; port: number; user: string; database: string }
  poolSize: number
  /** Milliseconds to wait for a connection, and for the answer of a statement. */
  connectTimeout: number
  statementTimeout: number
  onError?: (error: Error) => void
  /** Sees every statement before it is sent. */
  trace?: (statement: Statement) => void
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...(typeof options.connection === 'string' ? { connectionString: options.connection } : options.connection),
    application_name: 'steward',
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeout,
    query_timeout: options.statementTimeout,
    pipeline: true,
    // Planning a list at every call costs 14 to 18 %; the indexes are made so that one plan fits all values. A plan that was
    // made while a table was empty must be good when it is not: it never scans a table where an index will do. Compiling a
    // plan (jit) costs more than any of these statements takes. Sums over a year are worked out in memory (work_mem), not on disk.
    onConnect: async (client) => {
      // A connection that breaks while in use fails its statements; without a listener it would end the process too.
      client.on('error', (error) => options.onError?.(error))
      await client.query(
        `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off; set work_mem = '64MB'; set timezone = 'UTC'; set statement_timeout = ${options.statementTimeout}`,
      )
    },
  })
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', (error) => options.onError?.(error))

  /** Cancels the statement that nobody waits for any more. The embedded engine has no means to. */
  const untilGone = async <T>(client: pg.PoolClient, gone: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const cancel = () => {
      if (typeof options.connection === 'string') cancelStatement(options, client).catch((error) => options.onError?.(error))
    }
    gone.throwIfAborted()
    gone.addEventListener('abort', cancel, { once: true })
    try {
      const result = await work()
      // The cancellation may be under way still, and must not meet the next request's statement.
      gone.throwIfAborted()
      return result
    } finally {
      gone.removeEventListener('abort', cancel)
    }
  }

  const run: RunOn = (client, statement) => {
    const compiled = compile(statement)
    options.trace?.(compiled)
    return query(client, compiled)
  }

  return {
    reader(witness, gone) {
      let seen: string | null | undefined
      const db = queries(
        (statement) => withClient(pool, (client) => run(client, statement)),
        witness,
        (value) => {
          seen = value
        },
        gone && ((statement) => withClient(pool, (client) => untilGone(client, gone(), () => run(client, statement)))),
      )
      return { db, witnessed: () => seen }
    },
    transaction: (work) => withClient(pool, (client) => inTransaction(client, run, work)),
    atOnce: async (statement) => (await withClient(pool, (client) => run(client, statement))).rows,
    close: () => pool.end(),
  }
}

async function inTransaction<T>(client: pg.PoolClient, runOn: RunOn, work: (trx: Trx) => Promise<T>): Promise<T> {
  let failure: unknown
  const note = (error: unknown) => {
    failure ??= error
  }
  let abandoned = false
  const run: Run = (statement) => {
    const result = runOn(client, statement)
    // Someone may await it or not: its failure is the transaction's either way.
    result.catch(note)
    return result
  }
  client.query('begin').catch(note)
  const trx: Trx = {
    ...queries(run),
    run: async (statement) => (await run(statement)).rowCount ?? 0,
    abandon: () => {
      abandoned = true
    },
  }
  try {
    const result = await work(trx)
    await client.query(abandoned ? 'rollback' : 'commit')
    if (failure && !abandoned) throw failure
    return result
  } catch (error) {
    // A connection that cannot roll back is closed by withClient, and that rolls back too.
    await client.query('rollback').catch(note)
    throw error
  }
}

/** Over a connection of its own: those of the pool may all be busy. */
async function cancelStatement({ connection, connectTimeout }: DatabaseOptions, busy: pg.PoolClient): Promise<void> {
  const { processID } = busy as unknown as { processID: number }
  const client = new pg.Client({ connectionString: connection as string, connectionTimeoutMillis: connectTimeout })
  await client.connect()
  try {
    await client.query('select pg_cancel_backend($1)', [processID])
  } finally {
    await client.end()
  }
}

/** A connection that failed in a way that leaves its state unknown is closed, not handed to the next request. */
async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    if (isUnavailable(error)) broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

type Run = (statement: Sql) => Promise<pg.QueryResult>
type RunOn = (client: pg.PoolClient, statement: Sql) => Promise<pg.QueryResult>

function queries(run: Run, witness?: Sql, witnessed?: (value: string | null) => void, runLong: Run = run): Db {
  const note = (row: { witness?: string | null } | undefined) => {
    if (row?.witness !== undefined) witnessed?.(row.witness)
  }
  const witnessColumn = witness ? sql`, (${witness}) as witness` : sql``
  return {
    async one(query) {
      const { rows } = await run(sql`select ${query.row} as data${witnessColumn} from ${query.from}`)
      note(rows[0])
      return rows[0] && { text: rows[0].data }
    },
    async page({ row, from, as, order, limit, offset, total = sql`select count(*)::int from ${from}` }) {
      // The page is cut out first: a row's JSON is not built for those that the offset skips.
      const alias = raw(as)
      const { rows } = await run(sql`
        select '[' || array_to_string(array(select ${row} from (
          select ${alias}.* from ${from} order by ${order} limit ${limit} offset ${offset}) ${alias} order by ${order}), ',') || ']' as data,
        (${total}) as total${witnessColumn}`)
      note(rows[0])
      return { items: rows[0].data, pagination: { limit, offset, total: rows[0].total } }
    },
    parts: ({ row, from, by, order }) => ({
      parts: from.map((one) => async () => {
        const { rows } = await runLong(sql`
          select string_agg(${row}, ',' order by ${order}) as data${witnessColumn} from ${one} group by ${by} order by ${by}`)
        note(rows[0])
        return rows.map(({ data }) => data).join(',')
      }),
    }),
    rows: async (statement) => (await run(statement)).rows,
  }
}

/** Statements are prepared once per connection under names of its own: the embedded engine's connections share one session. */
const prefixes = new WeakMap<pg.PoolClient, string>()
const numbers = new Map<string, number>()
const maxPrepared = 500

function query(client: pg.PoolClient, { text, values }: Statement): Promise<pg.QueryResult> {
  const number = numberOf(text)
  return client.query(number === undefined ? { text, values } : { name: prefixOf(client) + number, text, values })
}

function prefixOf(client: pg.PoolClient): string {
  const prefix = prefixes.get(client) ?? `s${randomBytes(6).toString('hex')}_`
  prefixes.set(client, prefix)
  return prefix
}

/** Undefined for the texts beyond the first 500: filters can be combined in more ways than a connection should remember. */
function numberOf(text: string): number | undefined {
  const known = numbers.get(text)
  if (known !== undefined || numbers.size >= maxPrepared) return known
  numbers.set(text, numbers.size)
  return numbers.size - 1
}

/** Why work is given up for a client that went away. Like a cancelled statement, it leaves its connection to be closed. */
export const clientGone = (): Error => Object.assign(new Error('the client went away'), { code: '57014' })

/** The database is away, overwhelmed or too slow: the statement may be tried again later. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  if (code !== undefined && /^(08|53|57)|^E[A-Z]{3,}$/.test(code)) return true
  return code === undefined && /timeout|terminated|not queryable|Connection ended/i.test(message ?? '')
}
