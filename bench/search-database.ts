import type pg from 'pg'
import { random } from '../src/demo/random.ts'

/** Entities of each of the 20 organizations: 1,000,000 in all. */
export const sizes = [
  ...[200_000, 150_000, 100_000, 80_000, 70_000, 60_000, 50_000, 50_000, 40_000, 40_000],
  ...[30_000, 30_000, 20_000, 20_000, 15_000, 15_000, 10_000, 10_000, 5_000, 5_000],
]

/** Of one further organization, for the end of the curve: filled when the others have been measured. */
export const hugeSize = 1_000_000

/** Names as wide as life: 800 first names, 6,000 last names and 900 houses, the common ones far more often than the rare. */
function vocabulary() {
  const [starts, ends] = [
    [...'bcdfgjklmnprstvz', 'br', 'cl', 'fr', 'gr', 'st', 'tr'],
    ['a', 'e', 'i', 'o', 'u', 'an', 'el', 'in', 'or', 'us'],
  ]
  const word = (area: string, row: number) => {
    const draw = random(area, row)
    const text = Array.from({ length: draw.int(2, 4) }, () => draw.pick(starts) + draw.pick(ends)).join('')
    return text[0]!.toUpperCase() + text.slice(1)
  }
  const words = (area: string, count: number) => [...new Set(Array.from({ length: count }, (_, row) => word(area, row)))]
  const rooms = ['front door', 'thermostat', 'hub', 'balcony door', 'smoke alarm']
  const jobs = ['Checkout clean', 'Deep clean', 'Inspection', 'Replace the filter', 'Restock', 'Fix the tap', 'Change the linen']
  return { first: words('first', 800), last: words('last', 6_000), houses: words('house', 900), rooms, jobs }
}

export type Organization = { organizationId: string; size: number }

/** Fills a migrated database with organizations of these sizes: 6 of 10 entities are reservations, 3 tasks, 1 is a device; and `bench_names` has every name once more. */
export async function fillNames(client: pg.Client, sizes: readonly number[], signal: AbortSignal): Promise<Organization[]> {
  const { first, last, houses, rooms, jobs } = vocabulary()
  await client.query(`create or replace function pick(from_words text[]) returns text language sql volatile
    as $$ select from_words[1 + floor(power(random(), 2) * cardinality(from_words))::int] $$`)
  await client.query('create table if not exists bench_names (organization_id uuid, name text)')
  // As on the service's own connections: compiling these plans costs more than they take.
  await client.query('set jit = off')
  await client.query('select setseed(0.5)')
  const made: Organization[] = []
  for (const size of sizes) {
    signal.throwIfAborted()
    const { rows } = await client.query(
      `insert into organizations (id, name, slug) select id, id, id from (select gen_random_uuid() as id) new returning id`,
    )
    const organizationId: string = rows[0].id
    await client.query(`insert into departments (organization_id, id, name) values ($1, $1, 'Cleans')`, [organizationId])
    await client.query(
      `insert into reservations (organization_id, id, guest_first_name, guest_last_name, confirmation_code, check_in, check_out)
       select $1, gen_random_uuid(), pick($3), pick($4), 'HM' || upper(substr(md5(random()::text), 1, 8)),
         now() + (n % 700 - 350) * interval '1 day', now() + (n % 700 - 347) * interval '1 day' from generate_series(1, $2::int) n`,
      [organizationId, size * 0.6, first, last],
    )
    await client.query(
      `insert into tasks (organization_id, id, department_id, name, status)
       select $1, gen_random_uuid(), $1, pick($3) || ': Casa ' || pick($4) || ' ' || (n % 40 + 1), case when n % 5 = 0 then 'not_started' else 'completed' end
       from generate_series(1, $2::int) n`,
      [organizationId, size * 0.3, jobs, houses],
    )
    await client.query(
      `insert into devices (organization_id, id, name) select $1, gen_random_uuid(), 'Casa ' || pick($3) || ' ' || (n % 40 + 1) || ': ' || pick($4)
       from generate_series(1, $2::int) n`,
      [organizationId, size * 0.1, houses, rooms],
    )
    await client.query(
      `insert into bench_names select organization_id, concat_ws(' ', guest_first_name, guest_last_name, confirmation_code) from reservations where organization_id = $1
       union all select organization_id, name from tasks where organization_id = $1
       union all select organization_id, name from devices where organization_id = $1`,
      [organizationId],
    )
    await client.query(
      `insert into search_words (organization_id, word) select distinct organization_id, word from bench_names, unnest(search_words_of(name)) word
       where organization_id = $1 and search_learns(word) order by 1, 2`,
      [organizationId],
    )
    made.push({ organizationId, size })
  }
  await client.query(
    'create index if not exists bench_names_search on bench_names using gin (organization_id, name gin_trgm_ops) with (fastupdate = off)',
  )
  await client.query('vacuum analyze')
  return made
}
