#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { demo } from './demo.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { integrationsAdd } from './integrations/add.ts'
import { integrationsList } from './integrations/list.ts'
import { integrationsRemove } from './integrations/remove.ts'
import { integrationsSync } from './integrations/sync.ts'
import { integrationsTest } from './integrations/test-account.ts'
import { keysCreate } from './keys/create.ts'
import { keysList } from './keys/list.ts'
import { keysRevoke } from './keys/revoke.ts'
import { migrate } from './migrate.ts'
import { openapi } from './openapi.ts'
import { organizationsCreate } from './organizations/create.ts'
import { organizationsList } from './organizations/list.ts'
import { reasonOf } from './reason.ts'
import { serve } from './serve.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }

/** The whole command line, in reading order. */
function commandLine(): Command {
  const program = new Command('steward')
    .description('Self-hostable property operations behind one HTTP and JSON API.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(--help says more)')
  serve(program)
  migrate(program)
  demo(program)

  const organizations = program.command('organizations').description('create and list organizations')
  organizationsCreate(organizations)
  organizationsList(organizations)

  const keys = program.command('keys').description('make, list and revoke API keys')
  keysCreate(keys)
  keysList(keys)
  keysRevoke(keys)

  const integrations = program
    .command('integrations')
    .description('add, list, test, sync and remove accounts at providers of devices')
  integrationsAdd(integrations)
  integrationsList(integrations)
  integrationsTest(integrations)
  integrationsSync(integrations)
  integrationsRemove(integrations)

  importCommand(program)
  exportCommand(program)
  openapi(program)
  return program
}

/** Exit codes: 0 done, 1 refused or failed (with the reason in one line on standard error), 2 called wrongly. */
async function main(): Promise<number> {
  try {
    await commandLine().parseAsync()
    return 0
  } catch (error) {
    // Commander has written its help or its complaint itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`steward: ${reasonOf(error)}\n`)
    return 1
  }
}

// Who reads our output (`| head`) may stop reading.
process.stdout.on('error', (error: Error & { code?: string }) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
process.exitCode = await main()
