import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'

const file = join(import.meta.dirname, '../../openapi.json')

export function openapi(program: Command): void {
  program
    .command('openapi')
    .summary('print the OpenAPI document')
    .description('Prints the OpenAPI 3.1 document of the API.')
    .option('--check', 'fail where openapi.json in the repository differs from it')
    .option('--write', 'write it to openapi.json in the repository')
    .action(async ({ check, write }: { check?: boolean; write?: boolean }) => {
      const { endpoints } = await import('../api/endpoints.ts')
      const { openapiDocument } = await import('../http/openapi.ts')
      const text = `${JSON.stringify(openapiDocument(endpoints), null, 2)}\n`
      if (write) writeFileSync(file, text)
      else if (!check) process.stdout.write(text)
      if (check && readFileSync(file, 'utf8') !== text)
        throw new Error('openapi.json is out of date: `npx steward openapi --write` writes it anew')
    })
}
