import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, database, owner } = await testServer({ clock: () => now })
const other = await organization(database)

const coast = await make('property_groups', { name: 'Coast' })
const aurora = await make('properties', { timezone: 'Europe/Lisbon', propertyGroupId: coast.id, defaultCheckOutHour: 10 })
const guest = await make('guests', { firstName: 'Marta' })

const stay = { checkIn: '2026-06-01', checkOut: '2026-06-05' }
const create = (body: object, headers: Record<string, string> = {}) => client('POST /reservations', { body, headers })
const total = async () => (await client('GET /reservations', { query: { limit: 1 } })).meta.pagination.total

test('what is given is stored and answered, and told by an event', async () => {
  const given = {
    propertyId: aurora.id,
    propertyGroupId: coast.id,
    bookingSourceId: 'airbnb',
    pmsProvider: 'hostaway',
    externalReservationId: 'EXT-1',
    confirmationCode: 'HM1',
    status: 'confirmed',
    etaCheckIn: '2026-06-01T14:15:00.125Z',
    etaCheckOut: '2026-06-05T08:00:00.000Z',
    checkInState: 'checked_in',
    occupancyMethod: 'dashboard',
    guestId: guest.id,
    guestFirstName: 'Márta',
    guestLastName: "O'Keller",
    guestEmail: 'marta@mail.example',
    guestPhone: '+41 44 555 01 20',
    guestCount: 2,
    currency: 'EUR',
    subtotalCents: -9_007_199_254_740_991,
    totalFeeCents: 9_007_199_254_740_991,
    hostPayoutCents: 0,
    paymentStatus: 'paid',
    sourceText: 'Airbnb',
    isAutoScheduleDisabled: true,
    isReturning: true,
  }

  const answer = await create({ ...given, ...stay })

  assert.equal(answer.status, 200)
  const { id } = answer.data
  const made = {
    checkIn: '2026-06-01T14:00:00.000Z',
    checkOut: '2026-06-05T09:00:00.000Z',
    nightCount: 4,
    portalLoadCount: 0,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
  const rest = Object.fromEntries(Object.entries(answer.data).filter(([field]) => !(field in given) && !(field in made)))
  assert.deepEqual({ ...rest, ...given, ...made }, { ...answer.data })
  assert.deepEqual(
    Object.values(rest).filter((value) => value !== null),
    [id],
  )
  assert.deepEqual((await client('GET /reservations/{id}', { id })).data, answer.data)
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    [events.length, events[0].type, events[0].memberId, events[0].requestId],
    [1, 'reservation.created', owner.id, answer.meta.requestId],
  )
  const told = Object.entries({ ...given, checkIn: made.checkIn, checkOut: made.checkOut }).map(([field, to]) => [field, { to }])
  assert.deepEqual(events[0].changes, Object.fromEntries(told))
})

test('arrival and departure are enough; what is left out is null, and nobody has come yet', async () => {
  const { status, data } = await create({ checkIn: '2026-06-01T15:00+02:00', checkOut: '2026-06-02T09:00:00Z' })
  assert.equal(status, 200)
  const told = Object.entries(data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([field]) => field),
    [
      ...['id', 'checkIn', 'checkOut', 'checkInState', 'nightCount', 'isAutoScheduleDisabled', 'isReturning', 'portalLoadCount'],
      ...['createdAt', 'updatedAt'],
    ],
  )
  assert.deepEqual([data.checkInState, data.isReturning, data.nightCount], ['not_checked_in', false, 1])
})

test('the group is the property’s; without a property it may be given', async () => {
  const hills = await make('property_groups', { name: 'Hills' })
  const lone = await make('properties')
  assert.equal((await create({ ...stay, propertyId: aurora.id })).data.propertyGroupId, coast.id)
  assert.equal((await create({ ...stay, propertyId: aurora.id, propertyGroupId: coast.id.toUpperCase() })).status, 200)
  assert.equal((await create({ ...stay, propertyGroupId: hills.id })).data.propertyGroupId, hills.id)
  const before = await total()
  for (const [propertyId, propertyGroupId, right] of [
    [aurora.id, hills.id, coast.id],
    [lone.id, hills.id, null],
  ]) {
    const { status, error } = await create({ ...stay, propertyId, propertyGroupId })
    assert.deepEqual([status, error.code, error.details.propertyGroupId], [422, 'property_group_mismatch', right])
  }
  assert.equal(await total(), before)
})

test('every reference that is wrong is named at once, another organization’s too', async () => {
  const before = await total()
  const theirs = await other.make('properties')
  const { status, error } = await create({ ...stay, propertyId: theirs.id, propertyGroupId: v7(), guestId: v7() })
  assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'propertyId'])
  const fields = error.details.fields.map(({ field }: { field: string }) => field)
  assert.deepEqual(fields, ['propertyId', 'propertyGroupId', 'guestId'])
  assert.equal(await total(), before)
})

test('check-out must be after check-in, and guests cannot be fewer than none', async () => {
  const cases: [object, string][] = [
    [{ checkIn: '2026-06-01', checkOut: '2026-06-01' }, 'check_out_not_after_check_in'],
    [{ checkIn: '2026-06-01T12:00:00Z', checkOut: '2026-06-01T14:00:00+02:00' }, 'check_out_not_after_check_in'],
    [{ ...stay, guestCount: -1 }, 'negative_number'],
  ]
  for (const [body, code] of cases) {
    const { status, error } = await create(body)
    assert.deepEqual([status, error.code], [422, code])
  }
})

test('stays may overlap', async () => {
  assert.equal((await create({ ...stay, propertyId: aurora.id })).status, 200)
  assert.equal((await create({ ...stay, propertyId: aurora.id })).status, 200)
})

test('with an Idempotency-Key one reservation is made, however often it is sent', async () => {
  const before = await total()
  const answers = []
  for (let i = 0; i < 3; i++) answers.push(await create(stay, { 'idempotency-key': 'once' }))
  assert.deepEqual([...new Set(answers.map(({ status, data }) => `${status} ${data.id}`))], [`200 ${answers[0]!.data.id}`])
  assert.equal(await total(), before + 1)
})

test('what breaks its declaration is refused by name', async () => {
  const long = 'x'.repeat(501)
  const refused: Record<string, unknown[]> = {
    checkIn: [undefined, null, '', '2026-02-30', '9999-12-31'],
    checkOut: [undefined, null, '2026-06-05T10:00:00', '9999-12-31T23:59:59-01:00'],
    bookingSourceId: [1, null, long],
    checkInState: ['asleep', null],
    confirmationCode: [long],
    currency: ['eur', 'EURO', '€', null],
    etaCheckIn: ['2026-06-01T14:15:00Z'],
    guestCount: [1.5, '2', 2 ** 53],
    guestEmail: ['nobody'],
    guestId: ['guest', null],
    hostPayoutCents: [2 ** 53, 0.5, null],
    isAutoScheduleDisabled: ['true', null],
    isReturning: [1],
    occupancyMethod: ['phone', null],
    paymentStatus: [null, long],
    pmsProvider: [null, long],
    propertyId: ['house'],
    propertyGroupId: ['group', null],
    sourceText: ['x'.repeat(20_001)],
    status: [null, long],
    totalFeeCents: [-(2 ** 53), '1'],
    id: [v7()],
    nightCount: [4],
    portalLoadCount: [1],
    organizationId: [other.organizationId],
  }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const { status, error } = await create({ ...stay, [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.${field}`])
    }
})
