import type { Command } from 'commander'
import { sync } from '../../api/integrations/sync.ts'
import { readConfig } from '../../config.ts'
import { ProviderError } from '../../providers/provider.ts'
import { byCommand } from '../database.ts'
import { print } from '../output.ts'
import { findAccount, patience, withConnections } from './connected.ts'

export function integrationsSync(parent: Command): void {
  parent
    .command('sync')
    .summary("bring an account's devices in")
    .description(
      'Brings the devices of an account in line with its provider: new ones come in without a property, names that a person gave stay,\nthose that are gone are archived. Where the provider fails midway, nothing has changed.',
    )
    .argument('<id>', 'the id of the account, as `integrations list` shows it')
    .option('--json', 'answer with { seen, created, updated, archived, restored }')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const synced = await withConnections(async ({ database, connections }) => {
        const account = await findAccount(database, id)
        const given = { database, connections, clock: () => new Date(), config: readConfig() }
        return sync(given, account, { cause: byCommand(account.organizationId), limit: patience })
      }).catch((error) => {
        if (!(error instanceof ProviderError)) throw error
        throw new Error(`the provider cannot be used: ${error.message} (${error.code}); nothing was changed`, { cause: error })
      })
      const { seen, created, updated, archived, restored } = synced
      const text = `${seen} devices: ${created} new, ${updated} changed, ${restored} back again; ${archived} gone and archived.`
      print(synced, { json, text })
    })
}
