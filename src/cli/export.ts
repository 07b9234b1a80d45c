import type { Command } from 'commander'
import { withDatabase } from './database.ts'
import { organizationIdBySlug } from './organizations/by-slug.ts'
import { print, progress, table } from './output.ts'

type Options = { organization: string; force?: boolean; json?: boolean }

export function exportCommand(program: Command): void {
  program
    .command('export')
    .summary("write an organization's data to files")
    .description('Writes the data of an organization to the .jsonl files of a directory, which `import` reads.')
    .argument('<dir>', 'the directory to write; made where it is missing')
    .requiredOption('--organization <slug>', "the organization's slug")
    .option('--force', 'replace the .jsonl files that are there')
    .option('--json', 'answer with { counts }')
    .action(async (dir: string, { organization, force = false, json }: Options) => {
      const { exportDirectory } = await import('../transfer/export.ts')
      const result = await withDatabase(async (database) => {
        const organizationId = await organizationIdBySlug(database.reader().db, organization)
        return exportDirectory(database, organizationId, dir, { force, progress })
      })
      const rows = Object.entries(result.counts).map(([file, count]) => [file, String(count)])
      print(result, { json, text: table(['FILE', 'RECORDS'], rows) })
    })
}
