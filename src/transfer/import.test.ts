import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { clientOf, organization, server } from '../../test/helper.ts'
import { scratch } from '../../test/scratch.ts'
import { sql } from '../db/sql.ts'
import { type ImportResult, importDirectory, importRecords } from './import.ts'
import { fileNames, type Records, recordFile } from './records.ts'

const { app, database } = server()
const { db } = database.reader()

const into = (organizationId: string, records: Records) =>
  database.transaction((trx) => importRecords(trx, organizationId, records))

async function directory(files: Record<string, string | Buffer>): Promise<string> {
  const path = await scratch()
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return path
}

const lines = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** What is wrong, in short. */
const wrong = (result: ImportResult) =>
  result.ok
    ? 'nothing'
    : result.issues.map(({ file, line, field, code }) => [file.replace('.jsonl', ''), line, field, code].join(' '))

/** Every row of an organization with the transaction that wrote it. */
async function rowsOf(organizationId: string): Promise<string[]> {
  const tables = fileNames.flatMap((file) => [
    recordFile(file).table,
    ...(recordFile(file).links ?? []).map(({ table }) => table),
  ])
  const rows = await Promise.all(
    tables.map((table) =>
      db.rows<{ row: string }>({
        strings: [
          `select '${table} ' || t.xmin || ' ' || to_jsonb(t) as row from ${table} t where organization_id = '${organizationId}' order by 1`,
        ],
        values: [],
      }),
    ),
  )
  return rows.flat().map(({ row }) => row)
}

function house() {
  const [group, property, device, department, owner, cleaner] = [v7(), v7(), v7(), v7(), v7(), v7()]
  const records = {
    departments: [{ id: department, name: 'Cleaning', translations: { fr: { name: 'Ménage' } } }],
    'property-groups': [{ id: group, name: 'Coast', timezone: 'Europe/Madrid' }],
    members: [
      { id: owner, userId: v7(), role: 'owner', email: 'ada@casa.example', joinedAt: '2025-01-01T00:00:00Z' },
      {
        id: cleaner,
        userId: v7(),
        role: 'member',
        email: 'bea@casa.example',
        departments: [{ id: department, isManager: true }],
      },
    ],
    portals: [
      { id: v7(), name: 'First', isDefault: true },
      { id: v7(), name: 'Second' },
    ],
    properties: [{ id: property, name: 'Casa Azul', propertyGroupId: group, timezone: 'Europe/Madrid' }],
    'integration-accounts': [{ id: v7(), provider: 'simulated' }],
    devices: [{ id: device, name: 'Front door', type: 'lock', propertyIds: [property] }],
  } satisfies Records
  return { records, group, property, device, department, owner, cleaner }
}

test('importing twice changes nothing, not even what was left out', async () => {
  const { organizationId } = await organization(database)
  const { records } = house()
  const first = await into(organizationId, records)
  const before = await rowsOf(organizationId)

  const second = await into(organizationId, records)

  assert.ok(first.ok && second.ok)
  assert.deepEqual(first.counts.members, { inserted: 2, updated: 0, unchanged: 0 })
  assert.deepEqual(second.counts.members, { inserted: 0, updated: 0, unchanged: 2 })
  assert.deepEqual(
    Object.values(second.counts).filter(({ inserted, updated }) => inserted + updated > 0),
    [],
  )
  assert.deepEqual(await rowsOf(organizationId), before)
})

test('a record replaces the one of its id, links included; what it leaves out is empty again', async () => {
  const { organizationId } = await organization(database)
  const { records, device, property, cleaner } = house()
  await into(organizationId, records)

  const result = await into(organizationId, {
    devices: [{ id: device, name: 'Back door' }],
    members: [{ ...records.members[1]!, departments: [] }],
    properties: records.properties,
  })

  assert.ok(result.ok)
  assert.deepEqual(result.counts.devices, { inserted: 0, updated: 1, unchanged: 0 })
  assert.deepEqual(result.counts.members, { inserted: 0, updated: 1, unchanged: 0 })
  assert.deepEqual(result.counts.properties, { inserted: 0, updated: 0, unchanged: 1 })
  const [row] = await db.rows<object>(sql`
    select d.name, d.type, d.updated_at > d.created_at as later,
      (select count(*)::int from device_properties l where l.organization_id = d.organization_id and l.device_id = d.id) as links,
      (select count(*)::int from department_members l where l.organization_id = d.organization_id and l.member_id = ${cleaner}) as departments
    from devices d where d.organization_id = ${organizationId} and d.id = ${device}`)
  assert.deepEqual(row, { name: 'Back door', type: null, later: true, links: 0, departments: 0 })
  assert.ok(property)
})

test('unique values move from one record to another', async () => {
  const { organizationId } = await organization(database)
  const { records } = house()
  const account = records['integration-accounts'][0]!.id
  const [a, b] = [v7(), v7()]
  const doors = (one: string, other: string) => [
    { id: a, integrationAccountId: account, externalId: one },
    { id: b, integrationAccountId: account, externalId: other },
  ]
  await into(organizationId, { ...records, devices: doors('x', 'y') })

  const [ada, bea] = records.members
  const [first, second] = records.portals
  const result = await into(organizationId, {
    members: [
      { ...ada!, email: bea!.email },
      { ...bea!, email: ada!.email },
    ],
    portals: [
      { ...second!, isDefault: true },
      { ...first!, isDefault: false },
    ],
    devices: doors('y', 'x'),
  })

  assert.ok(result.ok, JSON.stringify(result))
  assert.deepEqual(result.counts.portals, { inserted: 0, updated: 2, unchanged: 0 })
  const moved = await db.rows<{ externalId: string }>(sql`
    select external_id as "externalId" from devices where organization_id = ${organizationId} order by id`)
  assert.deepEqual(
    moved.map((row) => row.externalId),
    ['y', 'x'],
  )
})

test('minutes, nights and property groups that were left out are worked out, nights by the dates where the property is', async () => {
  const { organizationId } = await organization(database)
  const { records, group, property, department, owner } = house()
  const stay = { propertyId: property, checkIn: '2025-03-29T22:30:00Z', checkOut: '2025-03-31T22:30:00Z' }
  const [counted, left, entry] = [v7(), v7(), v7()]
  const result = await into(organizationId, {
    ...records,
    reservations: [
      { id: counted, ...stay },
      { id: left, ...stay, nightCount: null, propertyGroupId: null },
    ],
    tasks: [{ id: v7(), name: 'Clean', departmentId: department, propertyId: property, due: '2025-03-31T10:00:00.9999Z' }],
    'time-entries': [{ id: entry, memberId: owner, startTime: '2025-03-30T08:00:00Z', endTime: '2025-03-30T08:10:31Z' }],
  })
  assert.ok(result.ok, JSON.stringify(result))
  // The night of 29 March is the one in which Madrid's clocks go forward: 23:30 and, two days later, 00:30.
  const nights = await db.rows<object>(
    sql`select id, night_count as nights, property_group_id as "group" from reservations
      where organization_id = ${organizationId} order by id`,
  )
  assert.deepEqual(nights, [
    { id: counted, nights: 3, group },
    { id: left, nights: null, group: null },
  ])
  const tasks = await db.rows<object>(
    sql`select property_group_id as "group", due from tasks where organization_id = ${organizationId}`,
  )
  assert.deepEqual(tasks, [{ group, due: new Date('2025-03-31T10:00:00.999Z') }])
  const minutes = await db.rows<object>(
    sql`select duration_minutes as minutes from time_entries where organization_id = ${organizationId}`,
  )
  assert.deepEqual(minutes, [{ minutes: 11 }])
})

test("another organization's ids are not references", async () => {
  const theirs = await organization(database)
  const { records, property } = house()
  await into(theirs.organizationId, records)
  const { organizationId } = await organization(database)

  const result = await into(organizationId, {
    devices: [{ id: v7(), propertyIds: [property] }],
    tasks: [{ id: v7(), name: 'Clean', departmentId: records.departments[0]!.id, assigneeUserId: theirs.owner.userId }],
  })

  assert.deepEqual(wrong(result), [
    'devices 1 propertyIds.0 unknown_reference',
    'tasks 1 departmentId unknown_reference',
    'tasks 1 assigneeUserId unknown_reference',
  ])
})

test('what the organization has already can be referred to, in any case of letters', async () => {
  const { organizationId, owner } = await organization(database)
  const { records, property, department } = house()
  await into(organizationId, records)

  const result = await into(organizationId, {
    tasks: [
      { id: v7(), name: 'Clean', departmentId: department.toUpperCase(), propertyId: property, collaborators: [owner.userId] },
    ],
  })

  assert.ok(result.ok, JSON.stringify(result))
})

test('the same person may be a member of several organizations', async () => {
  const [one, other] = [await organization(database), await organization(database)]
  const member = { id: v7(), userId: v7(), role: 'viewer' as const }
  assert.ok((await into(one.organizationId, { members: [member] })).ok)
  assert.ok((await into(other.organizationId, { members: [member] })).ok)
})

test('two imports at once into one organization: one finds the other’s rows', async () => {
  const { organizationId } = await organization(database)
  const { records } = house()
  const path = await directory(
    Object.fromEntries(Object.entries(records).map(([file, list]) => [`${file}.jsonl`, lines(...list)])),
  )

  const results = await Promise.all([
    importDirectory(database, organizationId, path),
    importDirectory(database, organizationId, path),
  ])

  const inserted = results.map((result) => result.ok && result.counts.devices?.inserted)
  assert.deepEqual(inserted.sort(), [0, 1])
})

test('what a request makes wrong between the check and the writing is reported, and nothing is in', async () => {
  const { organizationId } = await organization(database)
  const { records } = house()
  const path = await directory({
    'members.jsonl': lines(records.members[0], { ...records.members[1], departments: [] }),
    'property-groups.jsonl': lines(...records['property-groups']),
  })
  const userId = v7()
  await database.transaction((trx) => trx.run(sql`insert into users (id) values (${userId})`))
  let importing: Promise<ImportResult> | undefined
  await database.transaction(async (trx) => {
    await trx.run(sql`insert into members (organization_id, id, user_id, role, email)
      values (${organizationId}, ${v7()}, ${userId}, 'viewer', 'BEA@casa.example')`)
    importing = importDirectory(database, organizationId, path)
    await new Promise((resolve) => setTimeout(resolve, 300))
  })

  const result = await importing!

  // The embedded engine runs one transaction after the other, and so the check sees it.
  assert.ok(!result.ok)
  assert.match(String(wrong(result)), /^members (2 email taken| {2}refused)$/)
  const [row] = await db.rows<object>(
    sql`select count(*)::int as groups from property_groups where organization_id = ${organizationId}`,
  )
  assert.deepEqual(row, { groups: 0 })
})

test('a member who is deactivated loses their keys for good', async () => {
  const world = await organization(database)
  const { key } = await world.keyFor((await world.member({ role: 'viewer' })).id)
  const client = clientOf(app, key)
  assert.equal((await client('GET /portals')).status, 200)
  const [{ id, userId }] = (await db.rows<{ id: string; userId: string }>(sql`
    select id, user_id as "userId" from members where organization_id = ${world.organizationId} and role = 'viewer'`)) as [never]
  const member = { id, userId, role: 'viewer' as const, joinedAt: '2025-01-01T00:00:00Z' }

  assert.ok((await into(world.organizationId, { members: [{ ...member, deactivatedAt: '2025-02-01T00:00:00Z' }] })).ok)
  assert.ok((await into(world.organizationId, { members: [member] })).ok)

  assert.equal((await client('GET /portals')).status, 401)
})

test('fifteen thousand records go in at once', async () => {
  const { organizationId } = await organization(database)
  const { records, property } = house()
  const reservations = Array.from({ length: 15_000 }, (_, n) => ({ id: v7(), propertyId: property, confirmationCode: `C${n}` }))
  const result = await into(organizationId, { ...records, reservations })
  assert.ok(result.ok)
  assert.deepEqual(result.counts.reservations, { inserted: 15_000, updated: 0, unchanged: 0 })
})
