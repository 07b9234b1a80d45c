import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { countDevices } from '../src/api/devices/device.ts'
import { type AppOptions, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../src/db/db.ts'
import { snakeCase } from '../src/db/projection.ts'
import { join, raw, sql } from '../src/db/sql.ts'
import type { Endpoint } from '../src/http/endpoint.ts'
import { permissions as allPermissions, type Permission } from '../src/http/permissions.ts'
import { testDatabase } from './database.ts'

export type ServerOptions = {
  env?: Record<string, string>
  clock?: () => Date
  /** Instead of the API's own. */
  endpoints?: readonly Endpoint[]
  connection?: DatabaseOptions['connection']
  trace?: DatabaseOptions['trace']
  providers?: NonNullable<AppOptions['providers']>
}

type Column = string | number | boolean | null | Date | readonly string[] | Record<string, unknown>
type Columns = Record<string, Column>
type Row = Columns & { id: string }

export type Answer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely; their shape is checked against the schemas
  data: any
  // biome-ignore lint/suspicious/noExplicitAny: see above
  meta: any
  // biome-ignore lint/suspicious/noExplicitAny: see above
  error: any
}

export type Call = {
  id?: string
  query?: string | Record<string, string | number | boolean | readonly string[]> | undefined
  body?: unknown
  /** The API key; the owner's unless given. Null sends none. */
  key?: string | null
  headers?: Record<string, string>
}

/** `client('GET /devices', { query: { types: ['lock', 'hub'] } })`; fails the test on a 500. */
export type Client = (route: string, call?: Call) => Promise<Answer>

/**
 * A world of its own: a new organization with an owner in the database that all test files share, and the whole server
 * on it. Nothing needs cleaning up.
 */
export async function testServer(options: ServerOptions = {}) {
  const { database, app, config } = server(options)
  const world = await organization(database)
  return { ...world, app, database, config, client: clientOf(app, world.key) }
}

export type World = Awaited<ReturnType<typeof organization>>

/** A further organization, with its owner and key, in the same database. */
export async function organization(database: Database) {
  const organizationId = v7()
  await database.transaction((trx) =>
    trx.run(sql`insert into organizations (id, name, slug, timezone)
      values (${organizationId}, 'Casa Test', ${`casa-${organizationId}`}, 'Europe/Madrid')`),
  )

  /** Inserts a row: API names for columns, an id and the organization added. `await make('devices', { name: 'Door', type: 'lock' })`. */
  async function make(table: string, columns: Columns = {}): Promise<Row> {
    const row: Columns = {
      ...(table.match(/_(members|properties|property_groups|translations|values)$/) ? {} : { id: v7() }),
      ...columns,
    }
    const names = ['organization_id', ...Object.keys(row).map(snakeCase)]
    const values = [organizationId, ...Object.values(row)].map((value) => sql`${column(value)}`)
    await database.transaction(async (trx) => {
      await trx.run(sql`insert into ${raw(table)} (${raw(names.join(', '))}) values (${join(values, ', ')})`)
      if (table === 'devices') await countDevices(trx, organizationId, 1)
    })
    return row as Row
  }

  /** A joined member with a role and all permissions, unless told otherwise. */
  async function member(columns: Columns = {}): Promise<Row & { userId: string }> {
    const userId = (columns.userId as string) ?? v7()
    await database.transaction((trx) => trx.run(sql`insert into users (id) values (${userId}) on conflict do nothing`))
    const row = { role: 'member', permissions: allPermissions, joinedAt: new Date(), ...columns, userId }
    return (await make('members', row)) as Row & { userId: string }
  }

  /** An API key of a member, and the id of its row. */
  async function keyFor(memberId: string, columns: Columns & { permissions?: readonly Permission[] } = {}) {
    const key = `sk_test_${randomBytes(30).toString('hex')}`
    const { permissions = allPermissions, ...rest } = columns
    const { id } = await make('api_keys', {
      memberId,
      digest: `\\x${createHash('sha256').update(key).digest('hex')}`,
      permissions,
      ...rest,
    })
    return { key, id }
  }

  const owner = await member({ role: 'owner', firstName: 'Olga', lastName: 'Owner', email: `olga@${organizationId}.example` })
  const { key, id: keyId } = await keyFor(owner.id)
  return { organizationId, owner, key, keyId, make, member, keyFor }
}

/** The server on the shared database; closed when the file's tests are over. Several make several nodes. */
export function server({ env = {}, connection = testDatabase(), trace, ...rest }: ServerOptions = {}) {
  const config = readConfig({ LOG_LEVEL: 'silent', STEWARD_POOL_SIZE: '4', STEWARD_RATE_LIMIT: '1000000', ...env })
  const database = openDatabase({ ...config, connection, ...(trace ? { trace } : {}) })
  const app = buildApp({ database, config, log: pino({ level: config.logLevel }), ...rest })
  after(async () => {
    await app.close()
    await database.close()
  })
  return { app, database, config }
}

export function clientOf(app: FastifyInstance, ownKey: string): Client {
  return async (route, { id, query, body, key = ownKey, headers = {} } = {}) => {
    const [method, path] = route.split(' ') as ['GET', string]
    const response = await app.inject({
      method,
      url: `/api/v1${path.replace('{id}', () => encodeURIComponent(id ?? ''))}${search(query)}`,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    const parsed = response.body.startsWith('{') ? JSON.parse(response.body) : {}
    assert.notEqual(response.statusCode, 500, response.body)
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      data: parsed.data,
      meta: parsed.meta,
      error: parsed.error,
    }
  }
}

function search(query: Call['query']): string {
  if (query === undefined || typeof query === 'string') return query ? `?${query}` : ''
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) parameters.append(name, String(one))
  return `?${parameters}`
}

function column(value: Column) {
  if (value === null || typeof value !== 'object' || value instanceof Date || Array.isArray(value)) return value as string
  return JSON.stringify(value)
}

export const ids = (answer: Answer): string[] => answer.data.map((row: { id: string }) => row.id)
