import type { Command } from 'commander'
import { withDatabase } from './database.ts'
import { print, progress } from './output.ts'

export function demo(program: Command): void {
  program
    .command('demo')
    .summary('load the demo organization')
    .description('Loads the demo organization into the database; refused where it is there already.')
    .option('--json', 'answer with { slug, ownerEmail }')
    .action(async ({ json }: { json?: boolean }) => {
      const { demoOwnerEmail, demoSlug, loadDemo } = await import('../demo/demo.ts')
      await withDatabase((database) => loadDemo(database, { now: new Date(), progress }))
      print(
        { slug: demoSlug, ownerEmail: demoOwnerEmail },
        {
          json,
          text: `Loaded ${demoSlug}. A key for the API:
  npx steward keys create --organization ${demoSlug} --member ${demoOwnerEmail}`,
        },
      )
    })
}
