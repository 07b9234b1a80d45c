import type { TSchema } from 'typebox'
import { countDevices } from '../api/devices/device.ts'
import type { Trx } from '../db/db.ts'
import { snakeCase } from '../db/projection.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { type Batch, type Entry, entriesOf, fileOf } from './batch.ts'
import type { Link } from './link.ts'
import { type FileName, fileNames, type Records, recordFile } from './records.ts'

export type Counts = { inserted: number; updated: number; unchanged: number }
export type CountsByFile = { -readonly [F in keyof Records]: Counts }

/**
 * Writes every record, a batch of rows a statement. What is there already and the same is not touched: importing twice
 * changes no row.
 */
export async function writeBatch(
  trx: Trx,
  organizationId: string,
  batch: Batch,
  progress?: (line: string) => void,
): Promise<CountsByFile> {
  const counts: CountsByFile = {}
  for (const file of fileNames) {
    const entries = entriesOf(batch, file)
    if (entries.length === 0) continue
    progress?.(`Writing ${fileOf(file)}: ${entries.length}`)
    const written = await writeFile(trx, organizationId, file, entries)
    if (file === 'devices' && written.inserted > 0) await countDevices(trx, organizationId, written.inserted)
    counts[file] = written
  }
  // A step may pass through a position that another still holds; by now each has its own.
  await trx.run(raw('set constraints all immediate'))
  return counts
}

async function writeFile(trx: Trx, organizationId: string, file: FileName, entries: Entry[]): Promise<Counts> {
  const { release, upsert, row } = statementsOf(file)
  const { table, links = [] } = recordFile(file)
  if (file === 'members') await addUsers(trx, entries)
  const changed = new Set<string>()
  let inserted = 0
  let analyzed = 0
  if (release)
    for (const { json } of chunks(entries, row))
      for (const { key } of await trx.rows<{ key: string }>(release(organizationId, json))) changed.add(key)
  for (const chunk of chunks(entries, row)) {
    const written = await trx.rows<{ key: string; inserted: boolean }>(upsert(organizationId, chunk.json))
    const added = new Set(written.filter((one) => one.inserted).map(({ key }) => key))
    inserted += added.size
    for (const { key } of written) if (!added.has(key)) changed.add(key)
    const relinked = new Set<string>()
    for (const link of links)
      for (const key of await syncLink(trx, organizationId, link, chunk.entries, added))
        if (!added.has(key) && !changed.has(key)) relinked.add(key)
    for (const key of relinked) changed.add(key)
    await touch(trx, organizationId, table, chunk.entries, relinked)
    if (inserted >= Math.max(worthAnalyzing, 4 * analyzed)) {
      await analyze(trx, file)
      analyzed = inserted
    }
  }
  if (inserted >= worthAnalyzing && inserted > analyzed) await analyze(trx, file)
  return { inserted, updated: changed.size, unchanged: entries.length - inserted - changed.size }
}

const worthAnalyzing = 500

/**
 * Statements are planned once, and while a table is empty every index looks as good as the right one: foreign keys would then
 * be checked, and requests answered, by reading an organization's whole index. Statistics make all of them be planned anew.
 */
async function analyze(trx: Trx, file: FileName): Promise<void> {
  const { table, links = [] } = recordFile(file)
  await trx.run(raw(`analyze ${[table, ...links.map((link) => link.table)].join(', ')}`))
}

/** Of a record whose links alone changed, the time of change is now too, unless it was given. */
async function touch(trx: Trx, organizationId: string, table: string, entries: Entry[], relinked: Set<string>): Promise<void> {
  const ids = entries
    .filter(({ value }) => relinked.has(value.id as string) && !value.updatedAt)
    .map(({ value }) => value.id as string)
  if (ids.length > 0)
    await trx.run(sql`update ${raw(table)} set updated_at = now() where organization_id = ${organizationId} and id = any(${ids})`)
}

/** A member's user may be known from another organization. */
async function addUsers(trx: Trx, entries: Entry[]): Promise<void> {
  const ids = entries.map(({ value }) => value.userId as string)
  await trx.run(sql`insert into users (id) select unnest(${ids}::uuid[]) on conflict do nothing`)
}

const maxRows = 1_000
const maxBytes = 4 * 1024 * 1024

/** The rows in portions that a statement can take, as JSON. */
function* chunks(entries: Entry[], row: (value: Entry['value']) => unknown): Generator<{ entries: Entry[]; json: string }> {
  let rows: string[] = []
  let length = 0
  let start = 0
  for (const [i, { value }] of entries.entries()) {
    const text = JSON.stringify(row(value))
    rows.push(text)
    length += text.length
    if (rows.length < maxRows && length < maxBytes && i < entries.length - 1) continue
    yield { entries: entries.slice(start, i + 1), json: `[${rows.join(',')}]` }
    rows = []
    length = 0
    start = i + 1
  }
}

type Write = (organizationId: string, json: string) => Sql
type Statements = { row: (value: Entry['value']) => unknown; upsert: Write; release: Write | undefined }
const statements = new Map<FileName, Statements>()

function statementsOf(file: FileName): Statements {
  const known = statements.get(file)
  if (known) return known
  const made = makeStatements(file)
  statements.set(file, made)
  return made
}

const stamps = ['created_at', 'updated_at']

function makeStatements(file: FileName): Statements {
  const { table, schema, links = [], key = ['id'], release } = recordFile(file)
  const linked = new Set(links.map(({ field }) => field))
  const fields = Object.entries(schema.properties as Record<string, TSchema & { default?: unknown }>)
    .filter(([name]) => !linked.has(name))
    .map(([name, { default: fallback = null }]) => ({ name, column: snakeCase(name), fallback }))
  const columns = fields.map(({ column }) => column)
  const keys = key.map(snakeCase)
  return {
    row: (value) => Object.fromEntries(fields.map(({ name, column, fallback }) => [column, value[name] ?? fallback])),
    upsert: upsertOf(table, keys, columns),
    release:
      release &&
      ((organizationId, json) => sql`
        update ${raw(table)} t set ${raw(release.set)}, updated_at = now()
        from json_populate_recordset(null::${raw(table)}, ${json}::json) g
        where t.organization_id = ${organizationId} and t.id = g.id and ${raw(release.where)}
        returning t.id as key`),
  }
}

/**
 * Rows that are there and the same are left out before the insert, so that they are not even locked. Each is looked up by its
 * key: a plain join is planned, while the table is small, to read all of it for every batch. A time of creation or change that
 * was left out is now, and for a row that is there stays what it is until something else changes.
 */
function upsertOf(table: string, keys: string[], columns: string[]): Write {
  const compared = columns.filter((column) => !keys.includes(column) && !stamps.includes(column))
  const stamped = columns.filter((column) => stamps.includes(column))
  const under = (alias: string) => compared.map((column) => `${alias}.${column}`).join(', ')
  const source = columns.map((column) => {
    if (column === 'created_at') return 'coalesce(g.created_at, s.created_at, now())'
    return column === 'updated_at' ? 'coalesce(g.updated_at, now())' : `g.${column}`
  })
  const differs = [
    `s.${keys[0]} is null`,
    ...(compared.length > 0 ? [`(${under('s')}) is distinct from (${under('g')})`] : []),
    ...stamped.map((column) => `g.${column} <> s.${column}`),
  ]
  const changes = columns.filter((column) => !keys.includes(column)).map((column) => `${column} = excluded.${column}`)
  const head = raw(`insert into ${table} as t (organization_id, ${columns.join(', ')})`)
  const select = raw(source.join(', '))
  const given = raw(`json_populate_recordset(null::${table}, `)
  const join = raw(keys.map((key) => `s.${key} = g.${key}`).join(' and '))
  const tail = raw(`where ${differs.join(' or ')}
    on conflict (organization_id, ${keys.join(', ')}) do ${changes.length > 0 ? `update set ${changes.join(', ')}` : 'nothing'}
    returning t.${keys.join(` || t.`)} as key, t.xmax = 0 as inserted`)
  return (organizationId, json) => sql`
    ${head}
    select ${organizationId}::uuid, ${select}
    from ${given}${json}::json) g
    left join lateral (select * from ${raw(table)} s where s.organization_id = ${organizationId} and ${join} offset 0) s on true
    ${tail}`
}

/** Makes the rows of a link exactly those of the records; answers the records for which that changed something. */
async function syncLink(
  trx: Trx,
  organizationId: string,
  { field, table, owner, key, columns, rows }: Link,
  entries: Entry[],
  inserted: ReadonlySet<string>,
): Promise<string[]> {
  const given = entries.flatMap(({ value }) => rows(value[field]).map((row) => ({ ...row, [owner]: value.id })))
  const json = JSON.stringify(given)
  const changed: { owner: string }[] = []
  const existing = entries.filter(({ value }) => !inserted.has(value.id as string)).map(({ value }) => value.id as string)
  const from = raw(`json_populate_recordset(null::${table}, `)
  if (existing.length > 0)
    changed.push(
      ...(await trx.rows<{ owner: string }>(sql`
        delete from ${raw(table)} l
        where l.organization_id = ${organizationId} and l.${raw(owner)} = any(${existing})
          and (l.${raw(owner)}, l.${raw(key)}) not in (select g.${raw(owner)}, g.${raw(key)} from ${from}${json}::json) g)
        returning l.${raw(owner)} as owner`)),
    )
  if (given.length === 0) return changed.map((row) => row.owner)
  const all = [owner, key, ...columns]
  const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ')
  const conflict = changes === '' ? 'nothing' : `update set ${changes} where ${differing(columns)}`
  changed.push(
    ...(await trx.rows<{ owner: string }>(sql`
      insert into ${raw(table)} as l (organization_id, ${raw(all.join(', '))})
      select ${organizationId}::uuid, ${raw(all.map((column) => `g.${column}`).join(', '))} from ${from}${json}::json) g
      on conflict (organization_id, ${raw(owner)}, ${raw(key)}) do ${raw(conflict)}
      returning l.${raw(owner)} as owner`)),
  )
  return changed.map((row) => row.owner)
}

const differing = (columns: readonly string[]): string =>
  `(${columns.map((column) => `l.${column}`).join(', ')}) is distinct from (${columns.map((column) => `excluded.${column}`).join(', ')})`
