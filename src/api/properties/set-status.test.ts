import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'
import { permissions } from '../../http/permissions.ts'
import { type StatusField, statusValues } from './property.ts'

let now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, keyFor, database, owner, organizationId } = await testServer({ clock: () => now })
const { db } = database.reader()

const updatedAt = '2026-01-02T09:30:00.125Z'
const set = (id: string, body: object, key?: string) =>
  client('POST /properties/{id}/status', { id, body: { trigger: 'test', ...body }, ...(key ? { key } : {}) })
const read = async (id: string) => (await client('GET /properties/{id}', { id })).data
const eventsOf = async (id: string) => (await client('GET /events', { query: { entityId: id } })).data
const historyOf = (id: string) =>
  db.rows(sql`select field, value, previous_value as "previousValue", trigger, reservation_id as "reservationId",
    member_id as "memberId", request_id as "requestId", created_at as "createdAt" from property_status_changes
    where organization_id = ${organizationId} and property_id = ${id} order by created_at, id`)

test('a change is answered as a later read says it, told by an event and kept with its reason', async () => {
  const { id } = await make('properties', { cleaningStatus: 'dirty', codeDisplay: '4711', updatedAt })
  const stay = await make('reservations', { propertyId: id })
  const before = await read(id)
  now = new Date('2026-05-02T08:00:00.000Z')

  const answer = await set(id, { field: 'cleaning', value: 'clean', trigger: 'checkout_clean_done', id, reservationId: stay.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, { ...before, cleaningStatus: 'clean', updatedAt: now.toISOString() })
  assert.deepEqual(await read(id), answer.data)
  const [event, ...others] = await eventsOf(id)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [event.type, event.entityType, event.memberId, event.requestId],
    ['property.status_changed', 'property', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(event.changes, { cleaningStatus: { from: 'dirty', to: 'clean' }, trigger: { to: 'checkout_clean_done' } })
  assert.deepEqual(await historyOf(id), [
    {
      field: 'cleaning',
      value: 'clean',
      previousValue: 'dirty',
      trigger: 'checkout_clean_done',
      reservationId: stay.id,
      memberId: owner.id,
      requestId: answer.meta.requestId,
      createdAt: now,
    },
  ])
})

for (const field of Object.keys(statusValues) as StatusField[])
  test(`${field} takes every value of its vocabulary in both spellings, and null`, async () => {
    const { id } = await make('properties')
    for (const name of [field, `${field}Status`])
      for (const value of [...statusValues[field], null]) {
        const answer = await set(id, { field: name, value })
        assert.equal(answer.status, 200, answer.text)
        const others = (Object.keys(statusValues) as StatusField[]).filter((other) => other !== field)
        assert.equal(answer.data[`${field}Status`], value)
        for (const other of others) assert.equal(answer.data[`${other}Status`], null)
      }
    assert.equal((await historyOf(id)).length, 2 * (statusValues[field].length + 1))
  })

test('the value that it has is kept as its confirmation, and changes nothing else', async () => {
  const { id } = await make('properties', { inspectionStatus: 'passed', updatedAt })
  const before = await read(id)
  assert.deepEqual((await set(id, { field: 'inspection', value: 'passed', trigger: 'second look' })).data, before)
  assert.deepEqual((await set(id, { field: 'maintenance', value: null, trigger: 'nothing known' })).data, before)
  assert.deepEqual(await eventsOf(id), [])
  const history = (await historyOf(id)) as { value: string | null; previousValue: string | null; trigger: string }[]
  assert.deepEqual(
    history.map(({ value, previousValue, trigger }) => [value, previousValue, trigger]),
    [
      ['passed', 'passed', 'second look'],
      [null, null, 'nothing known'],
    ],
  )
})

test('another value is refused with those that are allowed, the organization’s own among them', async () => {
  await make('property_status_values', { field: 'maintenance', value: 'awaiting_parts' })
  await make('property_status_values', { field: 'maintenance', value: 'ok' })
  await make('property_status_values', { field: 'cleaning', value: 'linen_missing' })
  const other = await organization(database)
  await other.make('property_status_values', { field: 'maintenance', value: 'theirs' })
  const { id } = await make('properties', { maintenanceStatus: 'normal', updatedAt })
  const before = await read(id)
  for (const value of ['linen_missing', 'theirs', 'OK', ' ok', '', 'clean', 'null']) {
    const { status, error } = await set(id, { field: 'maintenanceStatus', value })
    assert.deepEqual([status, error.code, error.type], [422, 'unknown_status_value', 'business_rule_error'])
    assert.deepEqual(error.details, {
      field: 'value',
      statusField: 'maintenance',
      allowed: [...statusValues.maintenance, 'awaiting_parts'],
    })
  }
  assert.deepEqual([await read(id), await historyOf(id)], [before, []])
  assert.equal((await set(id, { field: 'maintenance', value: 'awaiting_parts' })).data.maintenanceStatus, 'awaiting_parts')
})

test('several changes at once each know the value before them', async () => {
  const { id } = await make('properties', { cleaningStatus: 'dirty' })
  const values = ['clean', 'in_progress', 'needs_cleaning', 'not_required', 'clean', 'dirty']
  const answers = await Promise.all(values.map((value) => set(id, { field: 'cleaning', value })))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const history = (await historyOf(id)) as { value: string; previousValue: string }[]
  const count = (list: string[]) => list.toSorted().join()
  // Whatever their order, every value but the last is what some change found.
  assert.equal(
    count(['dirty', ...history.map(({ value }) => value)]),
    count([...history.map(({ previousValue }) => previousValue), (await read(id)).cleaningStatus]),
  )
})

test('the path takes any string; one that names no property is 404, whatever the case of its letters', async () => {
  const theirs = await (await organization(database)).make('properties')
  for (const id of [v7(), theirs.id, 'house', 'a b/c?d', '0', '🏠', 'x'.repeat(2000), `{${theirs.id}}`]) {
    for (const sent of [{}, { id: v7() }]) {
      const answer = await set(id, { field: 'cleaning', value: 'nonsense', reservationId: v7(), ...sent })
      assert.deepEqual([answer.status, answer.error.code], [404, 'property_not_found'], id)
    }
  }
  const { id } = await make('properties')
  const answer = await set(id.toUpperCase(), { field: 'cleaning', value: 'clean', id })
  assert.deepEqual([answer.status, answer.data.id, answer.data.cleaningStatus], [200, id, 'clean'])
  assert.equal((await eventsOf(id))[0].entityId, id)
})

test('an id in the body must be that of the path', async () => {
  const { id } = await make('properties')
  for (const other of [v7(), '', 'house', `${id} `]) {
    const { status, error } = await set(id, { field: 'cleaning', value: 'clean', id: other })
    assert.deepEqual([status, error.code, error.details], [422, 'id_mismatch', { field: 'id' }])
  }
  assert.deepEqual(await historyOf(id), [])
})

test('a reservation must exist, null is none', async () => {
  const { id } = await make('properties')
  const theirs = await (await organization(database)).make('reservations')
  for (const reservationId of [v7(), theirs.id]) {
    const { status, error } = await set(id, { field: 'readiness', value: 'ready', reservationId })
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'reservationId'])
  }
  assert.deepEqual([(await read(id)).readinessStatus, await historyOf(id)], [null, []])
  assert.equal((await set(id, { field: 'readiness', value: 'ready', reservationId: null })).status, 200)
})

test('codes and access notes are null without private_code', async () => {
  const { id } = await make('properties', { codeDisplay: '4711', groupCodeDisplay: '0815', internalAccessNotes: 'Under the pot' })
  const { key } = await keyFor(owner.id, { permissions: permissions.filter((permission) => permission !== 'private_code') })
  for (const value of ['ready', 'ready']) {
    const { data } = await set(id, { field: 'readiness', value }, key)
    assert.deepEqual(
      [data.readinessStatus, data.codeDisplay, data.groupCodeDisplay, data.internalAccessNotes],
      ['ready', null, null, null],
    )
  }
})

test('what breaks its declaration is refused by name', async () => {
  const { id } = await make('properties')
  const good = { field: 'cleaning', value: 'clean', trigger: 'test' }
  const refused: Record<string, unknown[]> = {
    field: [undefined, null, '', 'status', 'cleaning_status', 'Cleaning', 1],
    value: [undefined, 1, true, ['clean'], 'x'.repeat(501), 'a\0'],
    trigger: [undefined, null, '', 'x'.repeat(201), 1, 'a\0b', '\udc00'],
    id: [null, 1, 'x'.repeat(501)],
    reservationId: ['stay', '', 1],
    note: ['more'],
  }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const { status, error } = await client('POST /properties/{id}/status', { id, body: { ...good, [field]: value } })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.${field}`])
    }
  assert.equal((await set(id, { ...good, trigger: '😀'.repeat(200) })).status, 200)
  assert.equal((await set(id, { ...good, trigger: 'x' })).status, 200)
})
