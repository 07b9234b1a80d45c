import { type Command, InvalidArgumentError, Option } from 'commander'
import { createKey } from '../../api/api-keys/api-key.ts'
import type { Database, Trx } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { changing } from '../../http/events.ts'
import { permissions as allPermissions, type Permission } from '../../http/permissions.ts'
import { byCommand, withDatabase } from '../database.ts'
import { didYouMean } from '../nearest.ts'
import { organizationIdBySlug } from '../organizations/by-slug.ts'
import { print } from '../output.ts'

/** In days; contract decisions, "Credentials and permissions". */
const spans = { '30d': 30, '90d': 90, '1y': 365, never: undefined }

type Options = {
  organization: string
  member: string
  name?: string
  permissions?: string
  rateLimit?: number
  expires: keyof typeof spans
  json?: boolean
}

export function keysCreate(parent: Command): void {
  parent
    .command('create')
    .summary('make an API key for a member')
    .description('Makes an API key that acts as a member. The key is shown this once: only its digest is kept.')
    .requiredOption('--organization <slug>', "the organization's slug")
    .requiredOption('--member <address>', "the member's e-mail address")
    .option('--name <name>', 'what the key is for')
    .option('--permissions <list>', 'what it may do, separated by commas; it never does more than its member may (default: all)')
    .option('--rate-limit <number>', 'requests a minute, where they differ from those of other keys', wholeNumber)
    .addOption(new Option('--expires <span>', 'how long it works').choices(Object.keys(spans)).default('never'))
    .option('--json', 'answer with { id, key }')
    .action(async (options: Options) => {
      const { id, key, expiresAt } = await withDatabase((database) => create(database, options))
      print(
        { id, key },
        {
          json: options.json,
          text: `API key  ${key}
Id       ${id}
Expires  ${expiresAt?.toISOString() ?? 'never'}
Keep it now: it cannot be shown again.`,
        },
      )
    })
}

async function create(database: Database, options: Options) {
  const permissions = permissionsOf(options.permissions)
  if ((options.name?.length ?? 0) > 500) throw new Error('--name takes up to 500 characters')
  const organizationId = await organizationIdBySlug(database.reader().db, options.organization)
  const days = spans[options.expires]
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000)
  const { name, rateLimit } = options
  return changing(database, byCommand(organizationId), new Date(), async (change) => {
    const memberId = await activeMember(change, organizationId, options.organization, options.member)
    const made = await createKey(change, { organizationId, memberId, permissions, name, rateLimit, expiresAt })
    change.event({
      type: 'api_key.created',
      entityType: 'api_key',
      entityId: made.id,
      changes: { memberId: { to: memberId }, permissions: { to: permissions } },
    })
    return { ...made, expiresAt }
  })
}

function permissionsOf(list: string | undefined): readonly Permission[] {
  if (list === undefined) return allPermissions
  const names = list.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!allPermissions.includes(name as Permission))
      throw new Error(`"${name}" is no permission${didYouMean(name, allPermissions)}`)
  }
  return [...new Set(names)] as Permission[]
}

type Found = { id: string; joined: boolean; deactivated: boolean }

async function activeMember(trx: Trx, organizationId: string, slug: string, email: string): Promise<string> {
  const [member] = await trx.rows<Found>(sql`
    select id, joined_at is not null as joined, deactivated_at is not null as deactivated
    from members where organization_id = ${organizationId} and lower(email) = lower(${email}) for share`)
  if (!member) throw new Error(`no member of ${slug} has the e-mail address ${email}`)
  if (member.deactivated) throw new Error(`${email} is deactivated: a key that acts as this member would be refused`)
  if (!member.joined)
    throw new Error(`${email} is invited and has not joined yet: a key that acts as this member would be refused`)
  return member.id
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > 2_147_483_647) throw new InvalidArgumentError('It takes a whole number from 1.')
  return value
}
