import { stringify } from 'csv-stringify/sync'
import type { Table } from './endpoint.ts'

export const csvType = 'text/csv; charset=utf-8'

/** Whether text/csv is named in an Accept header, and JSON not before it or with a greater weight. */
export function wantsCsv(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes('text/csv')) return false
  const ranges = accept.split(',').map((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, weight: weight ? Number(weight.slice(2)) : 1 }
  })
  const [best] = ranges
    .filter(({ type, weight }) => weight > 0 && (type === 'text/csv' || type === 'application/json'))
    .sort((a, b) => b.weight - a.weight)
  return best?.type === 'text/csv'
}

/** The names of the columns. A byte order mark goes before, without which spreadsheets take UTF-8 for something else. */
export const csvHead = (table: Table<unknown>): string =>
  stringify([[...table.columns]], { bom: true, record_delimiter: 'windows' })

/**
 * Lines of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front; a list is its
 * items, one a line.
 */
export function csvLines(table: Table<unknown>, data: unknown): string {
  return stringify([...table.rows(data)], {
    columns: [...table.columns],
    escape_formulas: true,
    quote_record_delimiter: true,
    record_delimiter: 'windows',
    cast: { boolean: String, object: (value) => (Array.isArray(value) ? value.join('\n') : JSON.stringify(value)) },
  })
}
