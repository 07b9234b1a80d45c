import type { Command } from 'commander'
import { withDatabase } from './database.ts'
import { print } from './output.ts'

export function migrate(program: Command): void {
  program
    .command('migrate')
    .summary('bring the database up to date')
    .description(
      'Applies the migrations that the database lacks. Every other command, and the start of the service, does so too.',
    )
    .option('--json', 'answer with an array of the migrations applied')
    .action(async ({ json }: { json?: boolean }) => {
      const migrated = await withDatabase(async (_database, about) => about.migrated)
      print(migrated, { json, text: migrated.length > 0 ? `Applied ${migrated.join(', ')}.` : 'The database is up to date.' })
    })
}
