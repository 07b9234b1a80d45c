import type { Command } from 'commander'
import { removeIntegration } from '../../api/integrations/integration.ts'
import { changing } from '../../http/events.ts'
import { byCommand, withDatabase } from '../database.ts'
import { print } from '../output.ts'
import { findAccount } from './connected.ts'

export function integrationsRemove(parent: Command): void {
  parent
    .command('remove')
    .summary('remove an account, and archive its devices')
    .description(
      'Removes an account with its settings. Its devices keep what is known of them, are archived, and belong to no account any\nmore. This cannot be undone: an account that is added again brings its devices in anew.',
    )
    .argument('<id>', 'the id of the account, as `integrations list` shows it')
    .option('--json', 'answer with { id, archived }')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const archived = await withDatabase(async (database) => {
        const { organizationId, accountId } = await findAccount(database, id)
        const now = new Date()
        return changing(database, byCommand(organizationId), now, (change) =>
          removeIntegration(change, organizationId, accountId, now),
        )
      })
      print({ id, archived }, { json, text: `Removed ${id}; ${archived} of its devices are archived.` })
    })
}
