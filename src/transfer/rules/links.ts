import { entriesOf, fileOf } from '../batch.ts'
import { fileNames, recordFile } from '../records.ts'
import type { Import } from './rule.ts'

/** A field that links records names each of them once. */
export function checkLinks({ batch, report }: Import): void {
  for (const file of fileNames)
    for (const link of recordFile(file).links ?? [])
      for (const { line, value } of entriesOf(batch, file)) {
        const keys = link.rows(value[link.field]).map((row) => row[link.key])
        const double = keys.find((key, i) => keys.indexOf(key) < i)
        if (double !== undefined)
          report.add({ file: fileOf(file), line, field: link.field, code: 'duplicate', message: `names ${double} twice` })
      }
}
