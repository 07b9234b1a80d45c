import type { Command } from 'commander'
import { tryAccount } from '../../api/integrations/try-account.ts'
import { print } from '../output.ts'
import { findAccount, patience, withConnections } from './connected.ts'

export function integrationsTest(parent: Command): void {
  parent
    .command('test')
    .summary('try whether an account works')
    .description('Asks the provider whether the account can be used. The exit code is 1 where it cannot.')
    .argument('<id>', 'the id of the account, as `integrations list` shows it')
    .option('--json', 'answer with { ok, error }')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const result = await withConnections(async ({ database, connections }) =>
        tryAccount(connections, await findAccount(database, id), patience),
      )
      if (result.ok || json) print(result, { json, text: `${id} works.` })
      if (result.error) throw new Error(`the account cannot be used: ${result.error.message} (${result.error.code})`)
    })
}
