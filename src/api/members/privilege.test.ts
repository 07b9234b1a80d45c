import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { clientOf, server } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import { type Permission, permissions } from '../../http/permissions.ts'
import { type Role, roleDefaults, roles } from './member.ts'
import { rightsAfter } from './privilege.ts'

/** A member as the rules see one. */
type Person = { role: Role; permissions: Permission[]; state: State }
/** Withdrawn is suspended before they joined. */
type State = 'invited' | 'active' | 'suspended' | 'withdrawn'
/** What is asked: a role for a member, new or not, or one of the operations that take no body. */
type Request = { operation: 'role' | 'invite' | 'suspend' | 'reinstate' | 'activate'; role: Role; permissions?: Permission[] }
type Case = { actor: Person; key: Permission[]; target: Person; others: Person[]; request: Request }

// ── The rules once more, in few words (docs/decisions.md, "Members") ────────────────────────────────────────────────

const ladder: Role[][] = [
  ['viewer'],
  ['field_team_member'],
  ['field_supervisor'],
  ['member'],
  ['manager', 'custom'],
  ['admin'],
  ['owner'],
]
const step = (role: Role) => ladder.findIndex((roles) => roles.includes(role))
const powers = ({ actor, key }: Case) => permissions.filter((one) => actor.permissions.includes(one) && key.includes(one))
const isSuspended = ({ state }: Person) => state === 'suspended' || state === 'withdrawn'
const isActiveOwner = ({ role, state }: Person) => role === 'owner' && state === 'active'

/** The code of the refusal, or the target (of an invitation, the new member) as it is afterwards. */
function expected(given: Case): string | Person {
  const { actor, target, request } = given
  const { operation, role } = request
  const mine = powers(given)
  const everyone = [...new Set([actor, target, ...given.others])]
  const isLastOwner = isActiveOwner(target) && everyone.filter(isActiveOwner).length === 1
  const wanted = permissions.filter((one) => (request.permissions ?? roleDefaults[role]).includes(one))
  const isBelow = actor.role === 'owner' || step(target.role) < step(actor.role)

  if (!mine.includes('manage_users')) return 'permission_denied'
  if (operation !== 'invite' && !isBelow) return 'member_outranks_you'
  if (operation === 'role' || operation === 'invite') {
    if (step(role) > step(actor.role)) return 'role_above_yours'
    if (wanted.some((one) => !mine.includes(one))) return 'permission_not_yours'
    if (operation === 'invite') return { role, permissions: wanted, state: 'invited' }
    if (isSuspended(target)) return 'member_inactive'
    return isLastOwner && role !== 'owner' ? 'last_owner' : { ...target, role, permissions: wanted }
  }
  if (operation === 'activate') return isSuspended(target) ? 'member_inactive' : { ...target, state: 'active' }
  if (operation === 'suspend') {
    if (isLastOwner) return 'last_owner'
    return isSuspended(target)
      ? target
      : { ...target, permissions: [], state: target.state === 'invited' ? 'withdrawn' : 'suspended' }
  }
  if (!isSuspended(target)) return target
  const back = roleDefaults[target.role].filter((one) => mine.includes(one))
  return { ...target, permissions: back, state: target.state === 'withdrawn' ? 'invited' : 'active' }
}

// ── Everything that can come together ───────────────────────────────────────────────────────────────────────────────

const aRole = fc.constantFrom(...roles)
const somePermissions = fc.subarray([...permissions])
/** Mostly with what it takes to change anyone at all. */
const powersOfSomeone: fc.Arbitrary<Permission[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Permission[]>([...permissions]) },
  { weight: 5, arbitrary: somePermissions.map((some) => [...new Set<Permission>([...some, 'manage_users'])]) },
  { weight: 1, arbitrary: somePermissions },
)
const anyone: fc.Arbitrary<Person> = fc
  .record({
    role: aRole,
    permissions: somePermissions,
    state: fc.constantFrom<State>('invited', 'active', 'suspended', 'withdrawn'),
  })
  .map((one) => ({ ...one, permissions: isSuspended(one) ? [] : one.permissions }))

const cases: fc.Arbitrary<Case> = fc
  .record({
    actor: fc.record({
      role: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom<Role>('owner', 'admin', 'manager', 'custom') },
        { weight: 1, arbitrary: aRole },
      ),
      permissions: powersOfSomeone,
    }),
    key: powersOfSomeone,
    target: fc.oneof({ weight: 5, arbitrary: anyone }, { weight: 1, arbitrary: fc.constant(undefined) }),
    others: fc.array(
      anyone.map((one) => ({ ...one, role: 'owner' as const })),
      { maxLength: 2 },
    ),
    operation: fc.oneof(
      { weight: 6, arbitrary: fc.constant('role' as const) },
      { weight: 4, arbitrary: fc.constantFrom('invite' as const, 'suspend' as const, 'reinstate' as const, 'activate' as const) },
    ),
    role: aRole,
    given: fc.option(fc.shuffledSubarray([...permissions, ...permissions]), { nil: undefined }),
    isWithinReach: fc.constantFrom(true, true, true, false),
  })
  .map(({ actor, key, target, others, operation, role, given, isWithinReach }) => {
    const me: Person = { ...actor, state: 'active' }
    const mine = actor.permissions.filter((one) => key.includes(one))
    const named = isWithinReach ? given?.filter((one) => mine.includes(one)) : given
    return {
      actor: me,
      key,
      target: target ?? me,
      others,
      request: { operation, role, ...(named ? { permissions: named } : {}) },
    }
  })

const gained = (before: Person | undefined, after: Person) =>
  after.permissions.filter((one) => !before?.permissions.includes(one))

test('thousands of role changes come out as the rules say, and none gives what the giver lacks', () => {
  let given = 0
  const property = fc.property(cases, (one) => {
    const { actor, target, others, request } = { ...one, request: { ...one.request, operation: 'role' as const } }
    const mine = powers(one)
    fc.pre(mine.includes('manage_users'))
    const owners = [...new Set([actor, target, ...others])].filter(isActiveOwner)
    const at = new Date()
    const member = {
      id: 'target',
      userId: 'user',
      role: target.role,
      permissions: target.permissions,
      joinedAt: target.state === 'invited' || target.state === 'withdrawn' ? null : at,
      deactivatedAt: isSuspended(target) ? at : null,
      isLastOwner: owners.length === 1 && owners[0] === target,
    }
    let outcome: string | Person
    try {
      outcome = { ...target, ...rightsAfter({ role: actor.role, permissions: new Set(mine) }, member, request) }
    } catch (error) {
      assert.ok(error instanceof ApiError)
      outcome = error.code
    }
    assert.deepEqual(outcome, expected({ ...one, request }))
    if (typeof outcome === 'string') return
    given++
    assert.deepEqual(
      gained(target, outcome).filter((permission) => !mine.includes(permission)),
      [],
    )
    assert.ok(step(outcome.role) <= step(actor.role))
  })
  fc.assert(property, { numRuns: 8_000 })
  assert.ok(given > 800, `only ${given} were allowed: the cases are too rarely possible to say much`)
})

// ── The same through the server ─────────────────────────────────────────────────────────────────────────────────────

const { app, database } = server()
const { db } = database.reader()

test('hundreds of requests of any kind come out as the rules say: nobody gains what the caller lacks, an owner remains', async () => {
  const property = fc.asyncProperty(cases, async (one) => {
    const { operation, role, permissions: named } = one.request
    const { organizationId, key, ids } = await settle(one)
    const id = ids.get(one.target)!
    const before = await people(organizationId)

    const rights = { role, ...(named ? { permissions: named } : {}) }
    const call = clientOf(app, key)
    const answer = await (operation === 'invite'
      ? call('POST /members', { body: { email: 'new@casa.example', ...rights } })
      : call(`POST /members/{id}/${operation}`, operation === 'role' ? { id, body: rights } : { id }))

    const outcome = expected(one)
    const after = await people(organizationId)
    if (typeof outcome === 'string') {
      assert.equal(answer.error?.code, outcome)
      assert.deepEqual(after, before)
      return
    }
    assert.ok(answer.status < 300, answer.text)
    const changedId = operation === 'invite' ? answer.data.memberId : id
    const [was, is] = [before.get(changedId), after.get(changedId)!]
    assert.deepEqual(is, outcome)
    assert.deepEqual(after, new Map([...before, [changedId, is]]))

    assert.deepEqual(
      gained(was, is).filter((permission) => !powers(one).includes(permission)),
      [],
    )
    assert.ok(is.role === was?.role || step(is.role) <= step(one.actor.role))
    if ([...before.values()].some(isActiveOwner)) assert.ok([...after.values()].some(isActiveOwner))
  })
  await fc.assert(property, { numRuns: 250 })
})

/** An organization with the people of a case, each under an id, and the actor's key. */
async function settle({ actor, key, target, others }: Case) {
  const organizationId = v7()
  const everyone = [...new Set([actor, target, ...others])]
  const ids = new Map(everyone.map((one) => [one, v7()]))
  const rows = everyone.map((one) => ({ id: ids.get(one), ...one }))
  const token = `sk_test_${v7()}${v7()}`
  const digest = createHash('sha256').update(token).digest('hex')
  await database.transaction((trx) =>
    Promise.all([
      trx.run(sql`insert into organizations (id, name, slug) values (${organizationId}, 'Casa', ${`casa-${organizationId}`})`),
      trx.run(sql`insert into users (id) select unnest(${[...ids.values()]}::uuid[])`),
      trx.run(sql`insert into members (organization_id, id, user_id, role, permissions, joined_at, deactivated_at)
        select ${organizationId}, p.id, p.id, p.role, p.permissions, case when p.state in ('active', 'suspended') then now() end,
          case when p.state in ('suspended', 'withdrawn') then now() end
        from json_to_recordset(${JSON.stringify(rows)}) p (id uuid, role text, permissions text[], state text)`),
      trx.run(sql`insert into api_keys (id, digest, organization_id, member_id, permissions)
        values (${v7()}, decode(${digest}, 'hex'), ${organizationId}, ${ids.get(actor)!}, ${key})`),
    ]),
  )
  return { organizationId, ids, key: token }
}

async function people(organizationId: string): Promise<Map<string, Person>> {
  const rows = await db.rows<Person & { id: string }>(sql`
    select id, role, permissions::text[] as permissions, case when deactivated_at is null
      then case when joined_at is null then 'invited' else 'active' end
      else case when joined_at is null then 'withdrawn' else 'suspended' end end as state
    from members where organization_id = ${organizationId} order by id`)
  return new Map(rows.map(({ id, ...person }) => [id, person]))
}
