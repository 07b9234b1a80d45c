import type { Command } from 'commander'
import { createOrganization, isTimeZone, type NewOrganization } from '../../api/organization/organization.ts'
import type { Trx } from '../../db/db.ts'
import { withDatabase } from '../database.ts'
import { didYouMean } from '../nearest.ts'
import { print } from '../output.ts'

type Options = {
  name: string
  slug: string
  timezone: string
  region: string
  ownerEmail: string
  ownerFirstName?: string
  ownerLastName?: string
  json?: boolean
}

export function organizationsCreate(parent: Command): void {
  parent
    .command('create')
    .summary('create an organization and its owner')
    .description('Creates an organization, with an active member who owns it.')
    .requiredOption('--name <name>', 'what people call it')
    .requiredOption('--slug <slug>', 'its short name: lower-case letters, digits and hyphens')
    .requiredOption('--timezone <zone>', 'an IANA time zone, such as Europe/Madrid')
    .requiredOption('--owner-email <address>', "the owner's e-mail address")
    .option('--owner-first-name <name>')
    .option('--owner-last-name <name>')
    .option('--region <region>', 'where its data lives', 'local')
    .option('--json', 'answer with { id, slug, ownerMemberId, ownerUserId }')
    .action(async ({ json, ...options }: Options) => {
      const created = await withDatabase((database) => database.transaction((trx) => create(trx, options)))
      print(created, {
        json,
        text: `Created ${created.slug} (${created.id}), owned by ${options.ownerEmail}. A key for the API:
  npx steward keys create --organization ${created.slug} --member ${options.ownerEmail}`,
      })
    })
}

async function create(trx: Trx, { ownerEmail, ownerFirstName, ownerLastName, ...options }: Options) {
  const given: NewOrganization = {
    ...options,
    owner: { email: ownerEmail, firstName: ownerFirstName, lastName: ownerLastName },
  }
  refuseUnfit(given)
  if (!(await isTimeZone(trx, given.timezone)))
    throw new Error(`"${given.timezone}" is no IANA time zone${didYouMean(given.timezone, Intl.supportedValuesOf('timeZone'))}`)
  const created = await createOrganization(trx, given)
  if (!created) throw new Error(`an organization with the slug "${given.slug}" exists already`)
  const { id, ownerMemberId, ownerUserId } = created
  return { id, slug: given.slug, ownerMemberId, ownerUserId }
}

function refuseUnfit({ name, slug, region, owner }: NewOrganization): void {
  for (const [option, text] of Object.entries({ name, slug, region, 'owner-email': owner.email })) {
    if (text.trim() === '' || text.length > 500) throw new Error(`--${option} takes 1 to 500 characters`)
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
    throw new Error(`"${slug}" is no slug: it takes lower-case letters and digits in words joined by single hyphens`)
  if (!/^[^\s@]+@[^\s@]+$/.test(owner.email)) throw new Error(`"${owner.email}" is no e-mail address`)
}
