import type { Command } from 'commander'
import type { ImportResult } from '../transfer/import.ts'
import { withDatabase } from './database.ts'
import { organizationIdBySlug } from './organizations/by-slug.ts'
import { print, progress, table } from './output.ts'

type Options = { organization: string; json?: boolean }

export function importCommand(program: Command): void {
  program
    .command('import')
    .summary("read an organization's data from files")
    .description(
      'Reads the .jsonl files of a directory into an organization: all of them, or nothing where one has a mistake.\nImporting the same files again changes nothing.',
    )
    .argument('<dir>', 'the directory with the files')
    .requiredOption('--organization <slug>', "the organization's slug")
    .option('--json', 'answer with { ok: true, counts } or { ok: false, total, issues }')
    .action(async (dir: string, { organization, json }: Options) => {
      const { importDirectory } = await import('../transfer/import.ts')
      const result = await withDatabase(async (database) => {
        const organizationId = await organizationIdBySlug(database.reader().db, organization)
        return importDirectory(database, organizationId, dir, { progress })
      })
      print(result, { json, text: textOf(result) })
      if (!result.ok) throw new Error(`nothing was imported: ${result.total} ${result.total === 1 ? 'mistake' : 'mistakes'}`)
    })
}

function textOf(result: ImportResult): string {
  if (!result.ok) {
    const lines = result.issues.map(
      ({ file, line, field, message }) => `${[file, line, field].filter(Boolean).join(':')}: ${message}`,
    )
    return [...lines, ...(result.total > lines.length ? [`… and ${result.total - lines.length} more`] : [])].join('\n')
  }
  const rows = Object.entries(result.counts).map(([file, { inserted, updated, unchanged }]) =>
    [file, inserted, updated, unchanged].map(String),
  )
  return rows.length > 0 ? table(['FILE', 'NEW', 'CHANGED', 'UNCHANGED'], rows) : 'There was nothing to import.'
}
