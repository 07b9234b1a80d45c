import type { Trx } from '../../db/db.ts'
import { type Batch, type Entry, entriesOf, fileOf } from '../batch.ts'
import type { FileName, RecordOf } from '../records.ts'
import type { Report } from '../report.ts'

/** What a rule looks at: the well-formed records of an import, and the organization they are for. */
export type Import = { trx: Trx; organizationId: string; batch: Batch; report: Report }

/** Says what a schema cannot; fills in what is worked out where it was left out. */
export type Rule = (given: Import) => Promise<void> | void

export type TypedEntry<F extends FileName> = { line: number; value: RecordOf<F> }

/** The records of a file, as their schema types them. */
export function recordsOf<F extends FileName>({ batch }: Import, file: F): TypedEntry<F>[] {
  // The schema of the file has checked them.
  return entriesOf(batch, file) as (Entry & { value: never })[]
}

export function complain<F extends FileName>(
  { report }: Import,
  file: F,
  line: number | null,
  field: (keyof RecordOf<F> & string) | null,
  code: string,
  message: string,
): void {
  report.add({ file: fileOf(file), line, field, code, message })
}

/** Whether a record of this id is in the import, even malformed: what it says there counts, not what is stored. */
export const isImported = ({ batch }: Import, file: FileName, id: string): boolean => batch.seen.get(file)?.has(id) ?? false

/** Reports every record whose key an earlier one has; answers the first record of each key. Null is no key. */
export function unique<F extends FileName>(
  given: Import,
  file: F,
  field: keyof RecordOf<F> & string,
  keyOf: (value: RecordOf<F>) => string | null,
): Map<string, TypedEntry<F>> {
  const first = new Map<string, TypedEntry<F>>()
  for (const entry of recordsOf(given, file)) {
    const key = keyOf(entry.value)
    if (key === null) continue
    const before = first.get(key)
    if (before) complain(given, file, entry.line, field, 'taken', `is taken by the record on line ${before.line}`)
    else first.set(key, entry)
  }
  return first
}
