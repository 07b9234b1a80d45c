/** Writes an answer to standard output: as one line of JSON for programs, or as text for people. */
export function print(value: unknown, { json, text }: { json?: boolean | undefined; text: string }): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}

/** What long work is busy with. On standard error, so that an answer stays alone on standard output. */
export const progress = (line: string): void => void process.stderr.write(`${line}\n`)

/** Rows under the names of their columns, each as wide as its widest text. */
export function table(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const lines = [columns, ...rows].map((row) => row.map((cell) => cell ?? '–'))
  const widths = columns.map((_column, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
