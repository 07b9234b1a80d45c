import { createKey } from '../src/api/api-keys/api-key.ts'
import { createOrganization } from '../src/api/organization/organization.ts'
import { openDatabase, type Trx } from '../src/db/db.ts'
import { raw } from '../src/db/sql.ts'
import { permissions } from '../src/http/permissions.ts'

/** What the measured organization holds, over three years to the first of January 2026. The second one holds a fifth of it. */
export const size = { members: 500, entries: 1_000_000, costItems: 300_000, tasks: 200_000, years: 3 }

export type FilledCosts = { organizationId: string; key: string }

/**
 * Members work five days of seven, with about 2.6 entries on a day: a morning, a break, an afternoon. The rows of the two
 * organizations, and of the members, lie on disk as they arrive over time: mixed.
 */
export async function fillCosts(connection: string, signal: AbortSignal): Promise<FilledCosts> {
  const database = openDatabase({ connection, poolSize: 1, connectTimeout: 5_000, statementTimeout: 20 * 60_000 })
  try {
    const filled = await database.transaction(async (trx) => {
      const read = await organization(trx, 'casa-azul')
      await organization(trx, 'casa-verde')
      for (const text of statements) {
        signal.throwIfAborted()
        await trx.run(raw(text))
      }
      return read
    })
    await vacuum(connection)
    return filled
  } finally {
    await database.close()
  }
}

/** So that what is measured is neither a table without statistics nor pages whose visibility nobody has noted yet. */
export async function vacuum(connection: string): Promise<void> {
  const database = openDatabase({ connection, poolSize: 1, connectTimeout: 5_000, statementTimeout: 20 * 60_000 })
  await database.reader().db.rows(raw('vacuum analyze'))
  await database.close()
}

/** An organization, and a key of its owner that no rate limit stops. */
async function organization(trx: Trx, slug: string): Promise<FilledCosts> {
  const owner = { email: `owner@${slug}.example`, firstName: 'Olga', lastName: 'Owner' }
  const created = await createOrganization(trx, { name: slug, slug, timezone: 'Europe/Madrid', region: 'local', owner })
  const { id: organizationId, ownerMemberId: memberId } = created!
  const { key } = await createKey(trx, { organizationId, memberId, permissions, rateLimit: 1_000_000_000 })
  return { organizationId, key }
}

const begin = `timestamptz '2023-01-01 00:00Z'`
const share = `case o.slug when 'casa-azul' then 1.0 else 0.2 end`

const statements = [
  // Our connections avoid scans; here whole tables are joined.
  'set local enable_seqscan = on',
  // UUID v7 of an instant, as the application makes them: they sort as the rows came.
  `create function bench_id(at timestamptz) returns uuid language sql volatile as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3)
      || '8' || substr(md5(random()::text), 1, 15))::uuid
  $$`,
  `insert into users (id) select bench_id(${begin} + s.n * interval '1 second') from generate_series(1, ${size.members}) s (n)`,
  `insert into members (organization_id, id, user_id, first_name, last_name, role, permissions, joined_at)
   select o.id, bench_id(${begin}), u.id, 'First ' || u.n % 40, 'Last ' || u.n, 'field_team_member', '{}', ${begin}
   from (select id, row_number() over (order by id) as n from users
     where id not in (select user_id from members)) u
   cross join organizations o where u.n <= ${size.members} * (${share})`,
  `insert into break_definitions (organization_id, id, name, is_paid)
   select o.id, bench_id(${begin}), b.name, b.paid from organizations o, (values ('Coffee', true), ('Lunch', false)) b (name, paid)`,
  `insert into departments (organization_id, id, name, category)
   select o.id, bench_id(${begin}), 'Department ' || s.n, 'cleans' from generate_series(1, 5) s (n) cross join organizations o`,
  `insert into properties (organization_id, id, name)
   select o.id, bench_id(${begin}), 'House ' || s.n from generate_series(1, 1000) s (n) cross join organizations o`,
  `create temporary table pick_member as select organization_id, id, row_number() over (partition by organization_id order by id) - 1 as n from members`,
  `create temporary table pick_department as select organization_id, id, row_number() over (partition by organization_id order by id) - 1 as n from departments`,
  `create temporary table pick_property as select organization_id, id, row_number() over (partition by organization_id order by id) - 1 as n from properties`,
  `insert into tasks (organization_id, id, name, department_id, property_id, status, priority, type, created_at)
   select o.id, bench_id(${begin} + s.n * interval '3 years' / ${size.tasks}), 'Clean ' || s.n, d.id, p.id, 'completed', 'medium', 'cleans',
     ${begin} + s.n * interval '3 years' / ${size.tasks}
   from generate_series(1, ${size.tasks}) s (n) cross join organizations o
   join pick_department d on d.organization_id = o.id and d.n = s.n % 5
   join pick_property p on p.organization_id = o.id and p.n = s.n % 1000
   where s.n % 5 = 0 or o.slug = 'casa-azul'
   order by s.n, o.id`,
  `create temporary table pick_task as select organization_id, id, row_number() over (partition by organization_id order by created_at, id) - 1 as n from tasks`,
  'create index on pick_task (organization_id, n)',
  'analyze pick_member, pick_task, pick_property, pick_department',
  // A working day of a member, then its entries.
  `create temporary table shifts as
   select m.organization_id, m.id as member_id, m.n, d.day, p.tasks,
     ${begin} + d.day * interval '1 day' + interval '6 hours' + (m.n % 8) * interval '1 hour' as at
   from generate_series(0, 1094) d (day) join pick_member m on (d.day + m.n) % 7 < 5
   join (select organization_id, count(*) as tasks from tasks group by 1) p on p.organization_id = m.organization_id`,
  'analyze',
  `insert into time_entries (organization_id, id, member_id, type, start_time, end_time, duration_minutes, attributed_cost_cents,
     attributed_billable_cents, is_approved, break_definition_id, department_id, property_id, task_id, is_auto_clocked_out, edited_at, created_at)
   select w.organization_id, bench_id(e.at), w.member_id, case when e.n = 1 then 'break' else 'work' end, e.at,
     e.at + minutes * interval '1 minute', minutes, case when e.n <> 1 then minutes * 30 end, case when e.n <> 1 then minutes * 63 end,
     case when w.day < 1060 then true end, case when e.n = 1 then b.id end, d.id, p.id, t.id, r < 0.01,
     case when r > 0.98 then e.at + interval '1 day' end, e.at
   from shifts w
   cross join lateral (select e.n, random() as r, w.at + e.n * interval '2 hours' + floor(random() * 60) * interval '1 minute' as at,
     15 + floor(random() * 90)::int as minutes from generate_series(0, 2) e (n)
     where w.day is not null and (e.n < 2 or (w.day * 7 + w.n * 3) % 100 < 56)) e
   join break_definitions b on b.organization_id = w.organization_id and b.is_paid = (w.n % 2 = 0)
   join pick_department d on d.organization_id = w.organization_id and d.n = w.n % 5
   join pick_property p on p.organization_id = w.organization_id and p.n = (w.n * 7 + w.day * 13 + e.n) % 1000
   join pick_task t on t.organization_id = w.organization_id
     and t.n = ((w.day * 500 + w.n + e.n) * 2654435761::bigint / 1000) % w.tasks
   order by e.at`,
  `insert into cost_items (organization_id, id, member_id, cost_type, description, total_cost_cents, billable_total_cents, is_approved,
     department_id, property_id, task_id, incurred_at, created_at)
   select w.organization_id, bench_id(e.at), case when r > 0.05 then w.member_id end, (array['material', 'expense', 'other'])[1 + w.n % 3],
     'Detergent', 100 + floor(r * 5000)::int, 120 + floor(r * 5500)::int, case when w.day < 1060 then true end, d.id, p.id, t.id, e.at, e.at
   from shifts w
   cross join lateral (select random() as r, w.at + random() * interval '8 hours' as at where w.day is not null) e
   join pick_department d on d.organization_id = w.organization_id and d.n = w.n % 5
   join pick_property p on p.organization_id = w.organization_id and p.n = (w.n * 7 + w.day * 13) % 1000
   join pick_task t on t.organization_id = w.organization_id and t.n = ((w.day * 500 + w.n) * 2654435761::bigint / 1000) % w.tasks
   where (w.day * 3 + w.n * 7) % 100 < 77
   order by e.at`,
]
