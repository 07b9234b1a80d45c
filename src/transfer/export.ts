import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Trx } from '../db/db.ts'
import { projection, snakeCase } from '../db/projection.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { fileOf } from './batch.ts'
import { type FileName, fileNames, recordFile } from './records.ts'

/** How many records each file has. */
export type ExportResult = { counts: Record<FileName, number> }

type Options = { force?: boolean; progress?: (line: string) => void }

const pageSize = 1_000

/**
 * Writes every record of an organization, as it was at one moment, to `<name>.jsonl` files that only their owner can read.
 * A page of rows at a time is in memory. No file appears before all are written. Throws an Error where the directory has
 * .jsonl files already and `force` is not set, or cannot be written.
 */
export async function exportDirectory(
  database: Database,
  organizationId: string,
  directory: string,
  { force = false, progress }: Options = {},
): Promise<ExportResult> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const present = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'))
  if (present.length > 0 && !force)
    throw new Error(
      `${directory} has .jsonl files already (${present[0]}, …): name another directory, or replace them with --force`,
    )

  const temporary = (file: FileName) => join(directory, `${fileOf(file)}.tmp`)
  try {
    const counts = await database.transaction(async (trx) => {
      await trx.run(raw('set transaction isolation level repeatable read, read only'))
      const counted = {} as Record<FileName, number>
      for (const file of fileNames) {
        counted[file] = await writeFile(trx, organizationId, file, temporary(file))
        if (counted[file] > 0) progress?.(`Wrote ${fileOf(file)}: ${counted[file]}`)
      }
      return counted
    })
    // Empty files too: one that was here before must not stay.
    for (const file of fileNames) await rename(temporary(file), join(directory, fileOf(file)))
    return { counts }
  } finally {
    for (const file of fileNames) await rm(temporary(file), { force: true })
  }
}

async function writeFile(trx: Trx, organizationId: string, file: FileName, path: string): Promise<number> {
  await rm(path, { force: true })
  const handle = await open(path, 'wx', 0o600)
  try {
    let count = 0
    let last: string[] | undefined
    do {
      const rows = await trx.rows<{ line: string; key: string[] }>(pageOf(organizationId, file, last))
      if (rows.length > 0) await handle.appendFile(rows.map(({ line }) => `${line}\n`).join(''))
      count += rows.length
      last = rows.length === pageSize ? rows.at(-1)!.key : undefined
    } while (last)
    await handle.sync()
    return count
  } finally {
    await handle.close()
  }
}

/** The page of a file's records after a key, by primary key; its rows as the JSON text of their lines. */
function pageOf(organizationId: string, file: FileName, last: string[] | undefined): Sql {
  const { table, key = ['id'] } = recordFile(file)
  const keys = key.map((field) => `t.${snakeCase(field)}`)
  const after = last ? sql` and ${afterKey(keys, last)}` : raw('')
  return sql`
    select ${lineOf(file)} as line, ${raw(`array[${keys.map((column) => `${column}::text`).join(', ')}]`)} as key
    from ${raw(table)} t where t.organization_id = ${organizationId}${after}
    order by ${raw(keys.join(', '))} limit ${pageSize}`
}

function afterKey([first, second]: string[], [one, other]: string[]): Sql {
  return second === undefined ? sql`${raw(first!)} > ${one!}` : sql`(${raw(first!)}, ${raw(second)}) > (${one!}, ${other!})`
}

const lines = new Map<FileName, Sql>()

function lineOf(file: FileName): Sql {
  const { schema, links = [] } = recordFile(file)
  const known = lines.get(file)
  if (known) return known
  const line: Sql = projection(schema, 't', Object.fromEntries(links.map((link) => [link.field, link.json('t')])))
  lines.set(file, line)
  return line
}
