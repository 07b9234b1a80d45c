import type { Trx } from '../db/db.ts'
import { raw, sql } from '../db/sql.ts'
import { type Batch, entriesOf, fileOf } from './batch.ts'
import type { Target } from './record.ts'
import { type FileName, fileNames, recordFile } from './records.ts'
import type { Report } from './report.ts'

type Mention = { file: FileName; line: number; field: string }

/**
 * Every id that a record names must be in the same import, or in the organization already. Another organization's ids
 * are as unknown as those that do not exist. One query a target, however many lines.
 */
export async function checkReferences(trx: Trx, organizationId: string, batch: Batch, report: Report): Promise<void> {
  for (const [target, mentions] of mentionsOutside(batch)) {
    const ids = [...mentions.keys()]
    const [table, column] = target === 'users' ? ['members', 'user_id'] : [recordFile(target).table, 'id']
    const known = await trx.rows<{ id: string }>(sql`
      select ${raw(column)} as id from ${raw(table)}
      where organization_id = ${organizationId} and ${raw(column)} = any(${ids})`)
    for (const { id } of known) mentions.delete(id)
    const message = target === 'users' ? 'is the userId of no member' : `names no record of ${fileOf(target)}`
    for (const [id, places] of mentions)
      for (const { file, line, field } of places)
        report.add({
          file: fileOf(file),
          line,
          field,
          code: 'unknown_reference',
          message: `${id} ${message}, neither in this import nor in the organization`,
        })
  }
}

/** The ids that are named but are not in the import, and where, by what they should name. */
function mentionsOutside(batch: Batch): Map<Target, Map<string, Mention[]>> {
  const outside = new Map<Target, Map<string, Mention[]>>()
  for (const file of fileNames) {
    const references = Object.entries(recordFile(file).references ?? {}) as [string, Target][]
    for (const { line, value } of entriesOf(batch, file)) {
      for (const [field, target] of references) {
        for (const [path, id] of idsIn(field, value[field])) {
          if (batch.seen.get(target)?.has(id)) continue
          const mentions = outside.get(target) ?? new Map<string, Mention[]>()
          outside.set(target, mentions)
          const places = mentions.get(id) ?? []
          mentions.set(id, places)
          places.push({ file, line, field: path })
        }
      }
    }
  }
  return outside
}

function* idsIn(path: string, value: unknown): Generator<[path: string, id: string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value)) for (const [i, inner] of value.entries()) yield* idsIn(`${path}.${i}`, inner)
  else if (typeof value === 'object' && value !== null) yield* idsIn(`${path}.id`, (value as { id: unknown }).id)
}
