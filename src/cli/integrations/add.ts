import type { Command } from 'commander'
import { addIntegration } from '../../api/integrations/integration.ts'
import { ApiError, type Issue } from '../../http/errors.ts'
import { changing } from '../../http/events.ts'
import type { ProviderName } from '../../providers/provider.ts'
import { providers } from '../../providers/registry.ts'
import { byCommand } from '../database.ts'
import { didYouMean } from '../nearest.ts'
import { organizationIdBySlug } from '../organizations/by-slug.ts'
import { print } from '../output.ts'
import { withConnections } from './connected.ts'
import { readSettings } from './settings.ts'

type Options = {
  organization: string
  provider: string
  name?: string
  setting: string[]
  settingsFile?: string
  json?: boolean
}

export function integrationsAdd(parent: Command): void {
  parent
    .command('add')
    .summary('add an account at a provider')
    .description(
      'Adds an account at a provider of devices. Its settings are encrypted and never shown again. What stands on a command line can be\nseen by others on the machine: give secrets in a file or through standard input. docs/integrations.md lists the settings.',
    )
    .requiredOption('--organization <slug>', "the organization's slug")
    .requiredOption('--provider <name>', `one of ${Object.keys(providers).join(', ')}`)
    .option('--name <name>', 'what people call the account')
    .option('--settings-file <file>', 'a JSON object of settings; - is standard input')
    .option('--setting <name=value>', 'one setting; may be repeated', (pair: string, all: string[]) => [...all, pair], [])
    .option('--json', 'answer with { id }')
    .action(async (options: Options) => {
      const id = await add(options)
      const next = `\`npx steward integrations test ${id}\` tries it, \`npx steward integrations sync ${id}\` brings its devices in.`
      print({ id }, { json: options.json, text: `Id  ${id}\n${next}` })
    })
}

async function add({ organization, provider: providerName, name, ...sources }: Options): Promise<string> {
  const provider = providers[providerName as ProviderName]
  const known = Object.keys(providers)
  if (!provider)
    throw new Error(
      `Steward connects to no provider "${providerName}"${didYouMean(providerName, known)}; it knows ${known.join(', ')}`,
    )
  if (name !== undefined && (name.length === 0 || name.length > 500)) throw new Error('--name takes 1 to 500 characters')
  const settings = await readSettings(provider, sources)
  return withConnections(async ({ database, connections }) => {
    const organizationId = await organizationIdBySlug(database.reader().db, organization)
    const now = new Date()
    try {
      return await changing(database, byCommand(organizationId), now, (change) =>
        addIntegration(change, connections, organizationId, { provider: provider.name, name, settings }, now),
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_settings') throw error
      const issues = error.details!.issues as Issue[]
      throw new Error(issues.map(({ path, message }) => `${path.replace('body.settings.', 'setting ')} ${message}`).join('; '))
    }
  })
}
