import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createKey } from '../src/api/api-keys/api-key.ts'
import { createOrganization } from '../src/api/organization/organization.ts'
import { openDatabase, type Trx } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { raw, sql } from '../src/db/sql.ts'
import { permissions } from '../src/http/permissions.ts'

/** What each of the two organizations holds. */
export const size = { properties: 1_000, devices: 10_000, linksPerDevice: 2, tasks: 100_000 }

export type Filled = {
  connection: string
  organizationId: string
  key: string
  deviceId: string
  departmentId: string
  userId: string
}

/**
 * A database with a random name on the server of `url`, migrated, and dropped when `cleanUp` is disposed of, whoever is
 * still connected by then.
 */
export async function createDatabase(url: string, cleanUp: AsyncDisposableStack): Promise<string> {
  const name = `steward_bench_${randomBytes(6).toString('hex')}`
  const connection = new URL(url)
  connection.pathname = `/${name}`
  cleanUp.defer(() => administer(url, `drop database if exists ${name} with (force)`))
  await administer(url, `create database ${name}`)
  await migrate(connection.href)
  return connection.href
}

async function administer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/**
 * Two organizations of equal size whose rows lie mixed on disk, as rows do that arrive over time: what one of them reads
 * has to be found among the other's. Answers the first, with the key of its owner.
 */
export async function fill(connection: string, signal: AbortSignal): Promise<Filled> {
  const database = openDatabase({ connection, poolSize: 1, connectTimeout: 5_000, statementTimeout: 10 * 60_000 })
  try {
    const { id: organizationId, key } = await database.transaction(async (trx) => {
      const read = await organization(trx, 'casa-azul')
      await organization(trx, 'casa-verde')
      for (const text of [ids, ...rows]) {
        signal.throwIfAborted()
        await trx.run(raw(text))
      }
      return read
    })
    const { db } = database.reader()
    await db.rows(raw('vacuum analyze'))
    const [device] = await db.rows<{ id: string }>(sql`
      select id from devices where organization_id = ${organizationId} order by created_at, id limit 1 offset ${size.devices / 2}`)
    const [task] = await db.rows<{ departmentId: string; userId: string }>(sql`
      select department_id as "departmentId", created_by_id as "userId" from tasks where organization_id = ${organizationId} limit 1`)
    return { connection, organizationId, key, deviceId: device!.id, ...task! }
  } finally {
    await database.close()
  }
}

/** An organization, and a key of its owner that no rate limit stops. */
async function organization(trx: Trx, slug: string): Promise<{ id: string; key: string }> {
  const owner = { email: `owner@${slug}.example`, firstName: 'Olga', lastName: 'Owner' }
  const created = await createOrganization(trx, { name: slug, slug, timezone: 'Europe/Madrid', region: 'local', owner })
  const { id, ownerMemberId: memberId } = created!
  const { key } = await createKey(trx, { organizationId: id, memberId, permissions, rateLimit: 1_000_000_000 })
  return { id, key }
}

/** UUID v7 of an instant, as the application makes them: they sort as the rows came. */
const ids = `
  create function bench_id(at timestamptz) returns uuid language sql volatile as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
      || '8' || substr(md5(random()::text), 1, 15))::uuid
  $$`

const series = (count: number) => `generate_series(1, ${count}) s (n)`
const eachOrganization = 'cross join organizations o order by s.n, o.id'
const at = (step: string) => `timestamptz '2025-01-01 08:00Z' + s.n * interval '${step}'`
const oneOf = (...values: string[]) => `(array['${values.join("', '")}'])[s.n % ${values.length} + 1]`
const numbered = (table: string) =>
  `(select *, row_number() over (partition by organization_id order by created_at, id) as n from ${table})`

const rows = [
  `insert into property_groups (organization_id, id, name, created_at)
   select o.id, bench_id(${at('1 second')}), 'Group ' || s.n, ${at('1 second')}
   from ${series(20)} ${eachOrganization}`,

  `insert into properties (organization_id, id, name, nickname, property_group_id, timezone, created_at)
   select g.organization_id, bench_id(${at('1 minute')}), 'Casa "Azul" ' || s.n, 'Azul ' || s.n, g.id, 'Europe/Madrid',
     ${at('1 minute')}
   from ${series(size.properties)} join ${numbered('property_groups')} g on g.n = s.n % 20 + 1
   order by s.n, g.organization_id`,

  `insert into departments (organization_id, id, name, category, created_at)
   select o.id, bench_id(${at('1 second')}), 'Department ' || s.n,
     ${oneOf('cleans', 'maintenance', 'inspections', 'guest_experience', 'other')}, ${at('1 second')}
   from ${series(5)} ${eachOrganization}`,

  `insert into integration_accounts (organization_id, id, provider, name)
   select o.id, bench_id(now()), 'simulated', 'Simulated' from organizations o`,

  `insert into devices (organization_id, id, integration_account_id, external_id, name, type, ecosystem, provider, online,
     battery_level, battery_updated_at, health_check, device_state, is_archived, created_at)
   select a.organization_id, bench_id(${at('1 minute')}), a.id, 'external-' || s.n, 'Front door ' || s.n,
     ${oneOf('lock', 'thermostat', 'sensor', 'door_window_sensor', 'hub', 'light', 'camera')},
     ${oneOf('zigbee', 'zwave', 'matter', 'august', 'yale', 'schlage', 'nuki', 'ttlock')}, 'simulated',
     nullif(s.n % 20, 0) % 9 <> 1, nullif(s.n % 101, 0), ${at('1 hour')}, ${at('2 hours')},
     jsonb_build_object('lock', 'locked', 'doorOpen', s.n % 3 = 0, 'temperature', 18.5 + s.n % 7), s.n % 10 = 0, ${at('1 minute')}
   from ${series(size.devices)} cross join integration_accounts a order by s.n, a.organization_id`,

  'update organizations o set device_count = (select count(*) from devices d where d.organization_id = o.id)',

  // Without statistics, linking the two would be planned for a handful of rows.
  'analyze properties, devices',

  // 6n + 13 is odd, so a device's two properties differ.
  `insert into device_properties (organization_id, device_id, property_id)
   select d.organization_id, d.id, p.id
   from ${numbered('devices')} d
   cross join lateral (values (d.n % ${size.properties} + 1), ((d.n * 7 + 13) % ${size.properties} + 1)) link (n)
   join ${numbered('properties')} p on p.organization_id = d.organization_id and p.n = link.n`,

  // In parts, so that a signal does not have to wait for all of them.
  ...Array.from({ length: 10 }, (_, part) => insertTasks((size.tasks / 10) * part + 1, (size.tasks / 10) * (part + 1))),
]

function insertTasks(first: number, last: number): string {
  return `
   insert into tasks (organization_id, id, name, department_id, property_id, property_group_id, assignee_user_id, created_by_id,
     due, est_time, priority, status, type, created_at)
   select p.organization_id, bench_id(${at('5 minutes')}), 'Clean after departure ' || s.n, d.id, p.id, p.property_group_id,
     m.user_id, m.user_id, ${at('6 minutes')}, 15 + s.n % 8 * 15, ${oneOf('watch', 'low', 'medium', 'high', 'urgent')},
     ${oneOf('triage', 'not_started', 'in_progress', 'paused', 'completed', 'completed', 'cancelled')}, d.category,
     ${at('5 minutes')}
   from generate_series(${first}, ${last}) s (n)
   join ${numbered('properties')} p on p.n = s.n % ${size.properties} + 1
   join ${numbered('departments')} d on d.organization_id = p.organization_id and d.n = s.n % 5 + 1
   join members m on m.organization_id = p.organization_id
   order by s.n, p.organization_id`
}
