import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steward } from '../../../test/command.ts'
import { clientOf, organization, server } from '../../../test/helper.ts'

let clock = new Date()
const { app, database } = server({ clock: () => clock })
const { organizationId, owner, member, key: ownerKey } = await organization(database)
const slug = `casa-${organizationId}`
const create = (...options: string[]) =>
  steward(['keys', 'create', '--organization', slug, '--member', owner.email as string, ...options, '--json'])

test('a key does what it is allowed, at its own rate, until it expires', async () => {
  const made = await create(
    '--permissions',
    'view_organization, view_tasks',
    '--rate-limit',
    '7',
    '--expires',
    '30d',
    '--name',
    'Lobby screen',
  )
  assert.equal(made.code, 0, made.stderr)
  const { id, key } = JSON.parse(made.stdout)
  assert.match(key, /^sk_live_[a-z0-9]{40,}$/)
  const client = clientOf(app, key)

  const answer = await client('GET /organization')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['x-ratelimit-limit'], '7')
  assert.equal((await client('GET /devices')).status, 403)

  const days = (count: number) => new Date(Date.now() + count * 86_400_000)
  clock = days(29.9)
  assert.equal((await client('GET /organization')).status, 200)
  clock = days(30.1)
  assert.equal((await client('GET /organization')).status, 401)
  clock = new Date()

  const listed = JSON.parse((await steward(['keys', 'list', '--organization', slug, '--json'])).stdout)
  const events = await clientOf(app, ownerKey)('GET /events', { query: { entityId: id } })
  assert.deepEqual(events.data[0].changes.permissions, { to: ['view_organization', 'view_tasks'] })
  const { name, memberId, permissions, rateLimit, revokedAt } = listed.find((row: { id: string }) => row.id === id)
  assert.deepEqual(
    { name, memberId, permissions, rateLimit, revokedAt },
    { name: 'Lobby screen', memberId: owner.id, permissions: ['view_organization', 'view_tasks'], rateLimit: 7, revokedAt: null },
  )
})

test('a key may do everything and lasts unless told otherwise, and never more than its member', async () => {
  const weak = await member({ email: `vera@${organizationId}.example`, permissions: ['view_organization'] })
  const { key } = JSON.parse((await create('--member', weak.email as string)).stdout)
  clock = new Date(Date.now() + 3650 * 86_400_000)
  assert.equal((await clientOf(app, key)('GET /organization')).status, 200)
  assert.equal((await clientOf(app, key)('GET /devices')).status, 403)
  clock = new Date()
})

test('what cannot be a key is refused with the reason in one line', async () => {
  await member({ email: `ines@${organizationId}.example`, joinedAt: null })
  await member({ email: `dora@${organizationId}.example`, deactivatedAt: new Date() })
  const cases: [string[], RegExp][] = [
    [['--organization', `${slug}x`], /no organization with the slug ".*"/],
    [['--member', 'nobody@casa.example'], /no member of .* has the e-mail address nobody@casa.example/],
    [['--member', `Ines@${organizationId}.example`], /is invited and has not joined yet/],
    [['--member', `dora@${organizationId}.example`], /is deactivated/],
    [['--permissions', 'view_tasks,view_task'], /"view_task" is no permission; did you mean view_tasks/],
  ]
  for (const [options, reason] of cases) {
    const { code, stdout, stderr } = await create(...options)
    assert.match(stderr, reason)
    assert.equal(stderr.split('\n').length, 2)
    assert.equal(code, 1)
    assert.equal(stdout, '')
  }
})

test('for people, the key and what to do with it are spelt out', async () => {
  const { stdout } = await steward(['keys', 'create', '--organization', slug, '--member', owner.email as string])
  assert.match(stdout, /^API key {2}sk_live_\w+\nId {7}[0-9a-f-]{36}\nExpires {2}never\nKeep it now/)
  const list = await steward(['keys', 'list', '--organization', slug])
  assert.match(list.stdout, /^ID +NAME +MEMBER +STATE/)
})
