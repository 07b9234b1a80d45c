import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { v7 } from 'uuid'
import { server } from '../../test/helper.ts'
import { raw, sql } from '../db/sql.ts'
import { fileNames, type RecordOf, recordFile } from '../transfer/records.ts'
import { demoOwnerEmail, loadDemo } from './demo.ts'
import { demoRecords } from './records.ts'

const { database } = server()
const now = new Date('2026-07-14T13:20:00Z')
const records = demoRecords(now)
const time = now.toISOString()

/** The days on which clocks change, a night on which Lisbon is a day ahead of UTC, a leap day. */
const nows = ['2026-03-29T01:30:00Z', '2026-10-25T01:00:00Z', '2027-06-30T23:30:00Z', '2028-02-29T12:00:00Z'].map(
  (text) => new Date(text),
)

test('the same moment makes the same demo', () => {
  assert.deepEqual(demoRecords(now), records)
})

test('on another day ids and contents are the same, and only times move', () => {
  const still = (made: unknown) => JSON.stringify(made, (_, value) => (/^\d{4}-\d\d-\d\dT/.test(value) ? 'time' : value))
  for (const other of nows) assert.equal(still(demoRecords(other)), still(records))
})

test('whatever the hour, rows are made in the order of their ids, and nothing comes from the future', () => {
  for (const other of [now, ...nows]) {
    const made = demoRecords(other)
    for (const file of fileNames) {
      const rows = made[file] as { id?: string; createdAt?: string; updatedAt?: string }[]
      for (const [n, { id, createdAt, updatedAt }] of rows.entries()) {
        if (!id || !createdAt) continue
        assert.ok(createdAt <= other.toISOString() && (updatedAt ?? createdAt) <= other.toISOString(), `${file} ${id}`)
        assert.ok((updatedAt ?? createdAt) >= createdAt, `${file} ${id}`)
        const before = rows[n - 1]
        if (before) assert.ok(before.id! < id && before.createdAt! < createdAt, `${file} ${id}`)
      }
    }
  }
})

test('every record fits its schema', () => {
  for (const file of fileNames) {
    const schema = Compile(recordFile(file).schema)
    for (const record of records[file]) if (!schema.Check(record)) assert.fail(`${file} ${JSON.stringify(schema.Errors(record))}`)
  }
})

test('there is enough of everything', () => {
  const counts = Object.fromEntries(fileNames.map((file) => [file, records[file].length]))
  const exact = {
    departments: 12,
    'property-groups': 6,
    members: 45,
    properties: 60,
    devices: 180,
    reservations: 1500,
    tasks: 3000,
    'task-templates': 25,
  }
  for (const [file, count] of Object.entries(exact)) assert.equal(counts[file], count, file)
  for (const file of fileNames) assert.ok(counts[file]! >= 4, file)
  assert.ok(counts['time-entries']! > 4000 && counts['cost-items']! > 700 && counts['task-items']! > 5000)
})

type Kinds<F extends keyof typeof records> = Record<string, (record: RecordOf<F>) => unknown>
const has = <F extends keyof typeof records>(file: F, kinds: Kinds<F>) => {
  const rows = records[file] as readonly RecordOf<F>[]
  const missing = Object.entries(kinds).filter(([, is]) => !rows.some(is))
  assert.deepEqual(
    missing.map(([kind]) => kind),
    [],
    file,
  )
}
/** Every value that the schema allows in a field, and null where it allows that. */
const hasEvery = <F extends keyof typeof records>(file: F, field: keyof RecordOf<F> & string) => {
  const { anyOf, ...plain } = (
    recordFile(file).schema.properties as Record<string, { enum?: unknown[]; anyOf?: { enum?: unknown[] }[] }>
  )[field]!
  const values = new Set((records[file] as readonly RecordOf<F>[]).map((record) => record[field] ?? null))
  const allowed = plain.enum ?? anyOf![0]!.enum!
  assert.deepEqual(
    allowed.filter((value) => !values.has(value as never)),
    [],
    `${file} ${field}`,
  )
}
const daysFromNow = (days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString()

test('people: every role and state, with and without access rows, departments of every category', () => {
  hasEvery('members', 'role')
  hasEvery('departments', 'category')
  has('members', {
    owner: ({ role, email, joinedAt }) => role === 'owner' && email === demoOwnerEmail && joinedAt,
    invited: ({ joinedAt, deactivatedAt }) => !joinedAt && !deactivatedAt,
    nameless: ({ firstName, joinedAt }) => firstName === null && !joinedAt,
    deactivated: ({ deactivatedAt, permissions }) => deactivatedAt && permissions?.length === 0,
    external: ({ memberType }) => memberType === 'external',
    'in one group': ({ propertyGroupIds }) => propertyGroupIds?.length === 1,
    everywhere: ({ propertyGroupIds }) => propertyGroupIds?.length === 0,
    manager: ({ departments }) => departments?.some(({ isManager }) => isManager),
    'in a user group': ({ userGroupIds }) => userGroupIds?.length,
    'without e-mail': ({ email }) => email === null,
  })
  has('departments', {
    archived: ({ archivedAt }) => archivedAt,
    translated: ({ translations }) => Object.keys(translations ?? {}).length > 4,
    'translated in part': ({ translations }) => Object.values(translations ?? {}).some((text) => text && !text.description),
    'without a category': ({ category }) => !category,
  })
})

test('places and devices: every type, system and provider, in every state', () => {
  for (const field of ['type', 'ecosystem', 'provider'] as const) hasEvery('devices', field)
  has('devices', {
    offline: ({ online }) => online === false,
    'unknown online': ({ online }) => online === null,
    low: ({ batteryLevel }) => batteryLevel != null && batteryLevel <= 20,
    archived: ({ isArchived }) => isArchived,
    'of two properties': ({ propertyIds }) => propertyIds?.length === 2,
    'of none': ({ propertyIds }) => propertyIds?.length === 0,
    'a lock to try': ({ type, provider, online, isArchived }) =>
      type === 'lock' && provider === 'simulated' && online && !isArchived,
  })
  for (const { type, deviceState } of records.devices)
    if (type === 'lock' && deviceState) assert.ok('lock' in (deviceState as object))
  has('properties', {
    ...Object.fromEntries(
      ['Lisboa', 'Porto', 'Lagos', 'Funchal', 'Sevilla', 'Barcelona'].map((town) => [
        town,
        ({ city }: RecordOf<'properties'>) => city === town,
      ]),
    ),
    groupless: ({ propertyGroupId }) => !propertyGroupId,
    nameless: ({ name }) => !name,
    disabled: ({ isDisabled }) => isDisabled,
    occupied: ({ readinessStatus }) => readinessStatus === 'occupied',
    'in own words': ({ maintenanceStatus }) => maintenanceStatus === 'awaiting_parts',
  })
  assert.deepEqual(new Set(records.properties.map(({ timezone }) => timezone).filter(Boolean)).size, 3)
  assert.equal(records.portals.filter(({ isDefault }) => isDefault).length, 1)
})

test('stays: past, present and future, of every state and way in, by guests from everywhere', () => {
  hasEvery('reservations', 'checkInState')
  hasEvery('reservations', 'occupancyMethod')
  const day = time.slice(0, 10)
  has('reservations', {
    'in house': ({ checkInState, checkOut }) => checkInState === 'checked_in' && checkOut! > time,
    'arriving today': ({ checkIn, checkInState }) => checkIn?.startsWith(day) && checkInState === 'not_checked_in',
    'leaving today': ({ checkOut }) => checkOut?.startsWith(day),
    past: ({ checkOut, checkInState }) => checkInState === 'checked_out' && checkOut! < daysFromNow(-90),
    future: ({ checkIn }) => checkIn! > daysFromNow(30),
    cancelled: ({ status }) => status === 'cancelled',
    dateless: ({ checkIn }) => checkIn === null,
    houseless: ({ propertyId }) => propertyId === null,
    code: ({ confirmationCode }) => /^HM[A-Z0-9]{8}$/.test(confirmationCode ?? ''),
    returning: ({ isReturning, guestId }) => isReturning && guestId,
    unlinked: ({ guestId, guestFirstName }) => !guestId && guestFirstName,
    accents: ({ guestLastName }) => /[ßöåñçõř]/.test(guestLastName ?? ''),
    ...Object.fromEntries(
      ['Han', 'Hangul', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Thai'].map((script) => [
        script,
        ({ guestFirstName }: RecordOf<'reservations'>) => new RegExp(`\\p{Script=${script}}`, 'u').test(guestFirstName ?? ''),
      ]),
    ),
  })
  const overlapping = records.reservations.filter(
    (one) =>
      one.status === 'confirmed' &&
      records.reservations.some(
        (other) =>
          other !== one &&
          other.status === 'confirmed' &&
          other.propertyId === one.propertyId &&
          other.checkIn! < one.checkOut! &&
          one.checkIn! < other.checkOut!,
      ),
  )
  assert.ok(overlapping.length > 5)
})

test('tasks and templates: every status and priority, bound to templates, stays and series', () => {
  hasEvery('tasks', 'status')
  hasEvery('tasks', 'priority')
  const open = ({ status }: RecordOf<'tasks'>) => status !== 'completed' && status !== 'cancelled'
  has('tasks', {
    assigned: ({ assigneeUserId }) => assigneeUserId,
    unassigned: ({ assigneeUserId }) => assigneeUserId === null,
    blocking: (task) => task.isBlocking && open(task),
    overdue: (task) => open(task) && task.due && task.due < time,
    today: ({ due }) => due?.startsWith(time.slice(0, 10)),
    deleted: ({ deletedAt }) => deletedAt,
    collaborators: ({ collaborators }) => collaborators?.length,
    images: ({ images }) => images?.length,
    'of a stay': ({ reservationId, templateId }) => reservationId && templateId,
    recurring: ({ isRecurring, scheduleId }) => isRecurring && scheduleId,
    'half a minute': ({ estTime }) => estTime?.includes('.'),
    undue: ({ due, status }) => due === null && status === 'triage',
  })
  has('task-items', {
    done: ({ completedAt, completedByUserId }) => completedAt && completedByUserId,
    open: ({ completedAt }) => completedAt === null,
    photo: ({ photoRequired }) => photoRequired,
  })
  has('task-templates', { deleted: ({ deletedAt }) => deletedAt, 'with a skill': ({ requiredSkillId }) => requiredSkillId })
  has('task-rates', { general: ({ propertyId }) => propertyId === null, 'of a house': ({ propertyId }) => propertyId })
  const names = records['task-templates'].map(({ name, departmentId }) => `${departmentId} ${name.trim().toLowerCase()}`)
  assert.ok(new Set(names).size < names.length, 'names recur')
})

test('time and cost: six months, approved and not, with every oddity', () => {
  hasEvery('time-entries', 'type')
  hasEvery('cost-items', 'costType')
  const paid = new Map(records['break-definitions'].map(({ id, isPaid }) => [id, isPaid]))
  has('time-entries', {
    'half a year ago': ({ startTime }) => startTime < daysFromNow(-178),
    yesterday: ({ startTime }) => startTime > daysFromNow(-2),
    running: ({ endTime, durationMinutes }) => endTime == null && durationMinutes == null,
    'running break': ({ endTime, type }) => endTime == null && type === 'break',
    'paid break': ({ breakDefinitionId }) => paid.get(breakDefinitionId ?? ''),
    'unpaid break': ({ breakDefinitionId }) => paid.get(breakDefinitionId ?? '') === false,
    'clocked out': ({ isAutoClockedOut }) => isAutoClockedOut,
    edited: ({ editedAt }) => editedAt,
    pending: ({ isApproved, startTime }) => isApproved === null && startTime < daysFromNow(-14),
    refused: ({ isApproved }) => isApproved === false,
    approved: ({ isApproved }) => isApproved,
    'without cost': ({ attributedCostCents, type }) => attributedCostCents === null && type === 'work',
    'across midnight': ({ startTime, endTime }) =>
      endTime?.slice(0, 10) === new Date(Date.parse(startTime) + 86_400_000).toISOString().slice(0, 10),
    'of a task': ({ taskId }) => taskId,
  })
  has('cost-items', {
    'of nobody': ({ memberId, incurredAt }) => memberId === null && incurredAt > daysFromNow(-21),
    'on an entry': ({ timeEntryId }) => timeEntryId,
    orphan: ({ timeEntryId, memberId }) => timeEntryId == null && memberId,
    refund: ({ totalCostCents }) => totalCostCents < 0,
    pending: ({ isApproved }) => isApproved === null,
    approved: ({ isApproved }) => isApproved,
    'by weight': ({ quantity }) => quantity?.includes('.'),
    flat: ({ flatCostCents, quantity }) => flatCostCents && quantity === null,
    photos: ({ photos }) => photos?.length,
  })
})

test('guides and history: steps without a gap, with placeholders, codes and devices; each status has a reason', () => {
  const scopes = Map.groupBy(records.instructions, ({ propertyId, propertyGroupId }) => propertyId ?? propertyGroupId)
  for (const steps of scopes.values())
    assert.deepEqual(
      steps.map(({ sortOrder }) => sortOrder),
      [...steps.keys()],
    )
  assert.ok([...scopes.values()].every(({ length }) => length >= 3))
  has('instructions', {
    'of a group': ({ propertyGroupId, title }) => propertyGroupId && title?.includes('{{propertyGroup.name}}'),
    'of a house': ({ propertyId, description }) => propertyId && description?.includes('{{property.'),
    'of a device': ({ deviceId, codeType }) => deviceId && codeType === 'smart_lock',
    code: ({ fixedCode }) => fixedCode,
  })
  hasEvery('property-status-changes', 'field')
  const last = new Map(records['property-status-changes'].map((change) => [`${change.propertyId} ${change.field}`, change.value]))
  for (const property of records.properties)
    for (const field of ['readiness', 'cleaning', 'inspection', 'maintenance'] as const) {
      const value = last.get(`${property.id} ${field}`)
      if (value !== undefined) assert.equal(property[`${field}Status`], value, `${property.id} ${field}`)
    }
})

test('it loads into an organization of its own, once', async () => {
  const id = v7()
  const organization = { id, slug: `demo-${id}` }
  const loaded = await loadDemo(database, { now, organization })
  assert.equal(loaded.organizationId, id)
  const { db } = database.reader()
  const [owner] = await db.rows<{ email: string; role: string }>(
    sql`select email, role from members where organization_id = ${id} and id = ${loaded.ownerMemberId}`,
  )
  assert.deepEqual(owner, { email: demoOwnerEmail, role: 'owner' })
  for (const file of fileNames) {
    const [row] = await db.rows<{ count: number }>(
      sql`select count(*)::int as count from ${raw(recordFile(file).table)} where organization_id = ${id}`,
    )
    assert.equal(row!.count, records[file].length, file)
  }
  await assert.rejects(loadDemo(database, { now, organization }), /exists already/)
})
