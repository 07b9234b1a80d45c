/** A line of progress, beside the figures. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** What several rounds measured. */
export type Spread = { median: number; min: number; max: number }

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
  return { median: middle, min: sorted[0]!, max: sorted.at(-1)! }
}

/** `1,234 (1,200–1,300)`, with so many digits after the point. */
export function shown({ median, min, max }: Spread, digits = 0): string {
  const text = (value: number) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${text(median)} (${text(min)}–${text(max)})`
}

/** Aligned columns: the first to the left, figures to the right. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('   ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}
