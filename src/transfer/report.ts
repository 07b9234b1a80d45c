import { fileNames } from './records.ts'

/** What is wrong with an import: `line` counts from 1; it and `field` are null where a whole file or line is meant. */
export type ImportIssue = { file: string; line: number | null; field: string | null; code: string; message: string }

export type Report = {
  /** The first 1,000, by file and line. */
  issues(): ImportIssue[]
  /** All of them. */
  total(): number
  add(issue: ImportIssue): void
}

export const maxIssues = 1_000

export function report(): Report {
  const issues: ImportIssue[] = []
  let total = 0
  return {
    add(issue) {
      total++
      if (issues.length < maxIssues) issues.push(issue)
    },
    total: () => total,
    issues: () => issues.sort((a, b) => rank(a) - rank(b) || a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0)),
  }
}

const rank = ({ file }: ImportIssue): number => (fileNames as string[]).indexOf(file.replace(/\.jsonl$/, ''))
