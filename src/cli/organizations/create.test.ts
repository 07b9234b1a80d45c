import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { steward } from '../../../test/command.ts'
import { clientOf, server } from '../../../test/helper.ts'

const slug = `casa-${randomUUID()}`
const create = (options: Record<string, string>) => {
  const given = { name: 'Casa', slug, timezone: 'Europe/Madrid', 'owner-email': 'olga@casa.example', ...options }
  return steward(['organizations', 'create', ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]), '--json'])
}

test('a new organization has an owner who may do everything', async () => {
  const made = await create({ 'owner-first-name': 'Olga', 'owner-last-name': 'Owner' })
  assert.equal(made.code, 0, made.stderr)
  const ids = JSON.parse(made.stdout)
  assert.deepEqual(Object.keys(ids), ['id', 'slug', 'ownerMemberId', 'ownerUserId'])

  const listed = JSON.parse((await steward(['organizations', 'list', '--json'])).stdout).find(
    (one: { slug: string }) => one.slug === slug,
  )
  const { createdAt, ...rest } = listed
  assert.deepEqual(rest, { id: ids.id, name: 'Casa', slug, region: 'local', timezone: 'Europe/Madrid' })
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)

  const { key } = JSON.parse(
    (await steward(['keys', 'create', '--organization', slug, '--member', 'OLGA@casa.example', '--json'])).stdout,
  )
  const answer = await clientOf(server().app, key)('GET /organization')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, listed)
})

test('what cannot be an organization is refused with the reason in one line', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{}, /^steward: an organization with the slug ".*" exists already\n$/],
    [{ slug: 'Casa Azul' }, /^steward: "Casa Azul" is no slug.*\n$/],
    [
      { slug: 'new-one', timezone: 'europe/madrid' },
      /^steward: "europe\/madrid" is no IANA time zone; did you mean Europe\/Madrid.*\n$/,
    ],
    [{ slug: 'new-one', timezone: '+01:00' }, /^steward: "\+01:00" is no IANA time zone.*\n$/],
    [{ slug: 'new-one', 'owner-email': 'olga' }, /^steward: "olga" is no e-mail address\n$/],
    [{ slug: 'new-one', name: '  ' }, /^steward: --name takes 1 to 500 characters\n$/],
  ]
  for (const [options, reason] of cases) {
    const { code, stdout, stderr } = await create(options)
    assert.match(stderr, reason)
    assert.equal(code, 1)
    assert.equal(stdout, '')
  }
})
