import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { clientOf, organization, server, testServer } from '../../../test/helper.ts'

let now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, database, owner, key } = await testServer({ clock: () => now })
const otherNode = clientOf(server().app, key)

const coast = await make('property_groups', { name: 'Coast' })
const aurora = await make('properties', { name: 'Aurora', timezone: 'Europe/Lisbon', propertyGroupId: coast.id })
const boreal = await make('properties', { name: 'Boreal', timezone: 'Asia/Tokyo', defaultCheckInHour: 16 })

const whole = {
  propertyId: aurora.id,
  propertyGroupId: coast.id,
  externalReservationId: 'EXT-1',
  confirmationCode: 'HM1',
  status: 'confirmed',
  checkIn: '2026-06-01T14:00:00.000Z',
  checkOut: '2026-06-05T10:00:00.000Z',
  etaCheckIn: '2026-06-01T14:15:00.125Z',
  guestFirstName: 'Marta',
  guestLastName: 'Keller',
  guestEmail: 'marta@mail.example',
  guestPhone: '+41 44 555 01 20',
  guestCount: 2,
  nightCount: 4,
  subtotalCents: 120_000,
  sourceText: 'Airbnb',
  createdAt: '2026-01-01T08:00:00.000Z',
  updatedAt: '2026-01-02T09:30:00.125Z',
}
const booked = async (columns = {}) => (await make('reservations', { ...whole, ...columns })).id
const read = async (id: string) => (await client('GET /reservations/{id}', { id })).data
const update = (id: string, data: object) => client('PATCH /reservations/{id}', { id, body: { data } })

test('the answer is what a later read says, and the event tells what changed, by whom and by which request', async () => {
  const id = await booked()
  now = new Date('2026-05-02T08:00:00.000Z')

  const answer = await update(id, { guestFirstName: 'Márta', guestEmail: null, guestCount: 2 })

  assert.equal(answer.status, 200)
  assert.deepEqual(answer.data, {
    ...(await read(id)),
    guestFirstName: 'Márta',
    guestEmail: null,
    updatedAt: '2026-05-02T08:00:00.000Z',
  })
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  const [{ type, entityType, memberId, requestId, changes }] = events
  assert.deepEqual(
    [events.length, type, entityType, memberId, requestId],
    [1, 'reservation.updated', 'reservation', owner.id, answer.meta.requestId],
  )
  assert.deepEqual(changes, {
    guestFirstName: { from: 'Marta', to: 'Márta' },
    guestEmail: { from: 'marta@mail.example', to: null },
  })
})

const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'))
const juneDay = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((day) => `2026-06-${String(day).padStart(2, '0')}`)
const moment = (from: number, to: number) =>
  fc.oneof(
    juneDay(from, to),
    juneDay(from, to).map((day) => `${day}T13:30:00.250+05:30`),
    juneDay(from, to).map((day) => `${day}T08:00Z`),
  )
const data = fc.record(
  {
    checkIn: moment(1, 10),
    checkOut: moment(12, 28),
    confirmationCode: word,
    etaCheckIn: juneDay(1, 10).map((day) => `${day}T14:30:00.125Z`),
    etaCheckOut: juneDay(12, 28).map((day) => `${day}T09:00:00.000Z`),
    externalReservationId: word,
    guestCount: fc.maxSafeNat(),
    guestEmail: fc.option(fc.constantFrom('a@b', 'ö@häuser.example')),
    guestFirstName: word,
    guestLastName: word,
    guestPhone: word,
    propertyId: fc.constantFrom(aurora.id, boreal.id.toUpperCase()),
    sourceText: word,
    subtotalCents: fc.maxSafeInteger(),
  },
  { requiredKeys: [] },
)
const hours = { [aurora.id]: ['14:00', '10:00'], [boreal.id]: ['07:00', '02:00'] } as const
const zones = { [aurora.id]: 'Europe/Lisbon', [boreal.id]: 'Asia/Tokyo' }
const localDay = (instant: string, timeZone: string) => Date.parse(new Date(instant).toLocaleDateString('en-CA', { timeZone }))

test('exactly the fields that are sent change, and what follows from them', async () => {
  const id = await booked({ checkOut: '2026-06-12T10:00:00.000Z', nightCount: 77 })
  await fc.assert(
    fc.asyncProperty(data, async (sent) => {
      const before = await read(id)
      now = new Date(now.getTime() + 1000)

      const answer = await update(id, sent)

      const propertyId = sent.propertyId?.toLowerCase() ?? before.propertyId
      const given = { ...sent, ...(sent.propertyId === undefined ? {} : { propertyId }) }
      for (const [place, field] of (['checkIn', 'checkOut'] as const).entries())
        if (given[field]) {
          const instant = given[field].length === 10 ? `${given[field]}T${hours[propertyId]![place]}:00Z` : given[field]
          given[field] = new Date(instant).toISOString()
        }
      const expected = { ...before, ...given }
      if (before.propertyId !== propertyId) expected.propertyGroupId = propertyId === aurora.id ? coast.id : null
      if (['propertyId', 'checkIn', 'checkOut'].some((field) => before[field] !== expected[field])) {
        const zone = zones[propertyId]!
        expected.nightCount = (localDay(expected.checkOut, zone) - localDay(expected.checkIn, zone)) / 86_400_000
      }
      const changed = Object.keys(before).some((field) => before[field] !== expected[field])
      expected.updatedAt = changed ? now.toISOString() : before.updatedAt
      assert.deepEqual(answer.data, expected)
      assert.deepEqual(await read(id), expected)
    }),
    { numRuns: 60 },
  )
})

test('what changes nothing answers the reservation, leaves updatedAt alone and is no event', async () => {
  const id = await booked()
  const before = await read(id)
  const { createdAt, updatedAt, status, nightCount, propertyGroupId, ...same } = whole
  for (const sent of [{}, same, { propertyId: aurora.id.toUpperCase() }, { checkIn: '2026-06-01', checkOut: '2026-06-05' }]) {
    const answer = await update(id, sent)
    assert.deepEqual([answer.status, answer.data], [200, before])
  }
  assert.deepEqual((await client('GET /events', { query: { entityId: id } })).data, [])
})

test('a new property brings its group, or none, and its rules for dates', async () => {
  const id = await booked()
  const there = await update(id, { propertyId: boreal.id, checkIn: '2026-06-02' })
  assert.deepEqual(
    [there.data.propertyId, there.data.propertyGroupId, there.data.checkIn, there.data.nightCount],
    [boreal.id, null, '2026-06-02T07:00:00.000Z', 3],
  )
  const back = await update(id, { propertyId: aurora.id })
  assert.deepEqual([back.data.propertyGroupId, back.data.checkIn], [coast.id, '2026-06-02T07:00:00.000Z'])
})

test('nightCount is kept while a date is unknown, and counts none for a stay of one day', async () => {
  const open = await booked({ checkOut: null, nightCount: 9 })
  assert.equal((await update(open, { checkIn: '2026-06-03' })).data.nightCount, 9)
  assert.equal((await update(open, { checkOut: '2026-06-04' })).data.nightCount, 1)
  assert.equal((await update(open, { checkOut: '2026-06-03T20:00:00+01:00' })).data.nightCount, 0)
})

test('fields changed at once by several requests on two nodes all stand, each told by its own event', async () => {
  const sent = {
    confirmationCode: 'X',
    externalReservationId: 'Y',
    guestFirstName: 'A',
    guestLastName: 'B',
    guestPhone: 'C',
    guestEmail: 'd@e',
    guestCount: 7,
    subtotalCents: 8,
    sourceText: 'Z',
    checkOut: '2026-06-20T10:00:00.000Z',
  }
  for (let round = 0; round < 3; round++) {
    const id = await booked()
    const answers = await Promise.all(
      Object.entries(sent).map(([field, value], i) =>
        (i % 2 ? client : otherNode)('PATCH /reservations/{id}', { id, body: { data: { [field]: value } } }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const after = await read(id)
    assert.deepEqual({ ...after, ...sent, nightCount: 19 }, after)
    assert.equal((await client('GET /events', { query: { entityId: id } })).meta.pagination.total, 10)
  }
})

test('a request with an Idempotency-Key changes once', async () => {
  const id = await booked()
  const call = () =>
    client('PATCH /reservations/{id}', { id, body: { data: { guestCount: 5 } }, headers: { 'idempotency-key': id } })
  const first = await call()
  await update(id, { guestCount: 6 })
  const second = await call()
  assert.deepEqual([second.data, second.headers['idempotency-replayed']], [first.data, 'true'])
  assert.equal((await read(id)).guestCount, 6)
})

test('check-out must be after check-in, whichever of the two is sent', async () => {
  const id = await booked()
  const before = await read(id)
  for (const sent of [
    { checkOut: '2026-06-01T14:00:00Z' },
    { checkOut: '2026-06-01T15:59:59.999+02:00' },
    { checkOut: '2026-05-31' },
    { checkIn: '2026-06-05T10:00:00.000999Z' },
    { checkIn: '2026-06-05' },
    { checkIn: '2026-07-02', checkOut: '2026-07-01' },
  ]) {
    const answer = await update(id, sent)
    assert.deepEqual([answer.status, answer.error.code], [422, 'check_out_not_after_check_in'], JSON.stringify(sent))
  }
  assert.deepEqual(await read(id), before)
  assert.equal((await update(id, { checkOut: '2026-06-01T14:00:00.001Z' })).status, 200)
})

test('an unknown property, another organization’s too, and fewer than no guests are 422', async () => {
  const id = await booked()
  const theirs = await (await organization(database)).make('properties')
  for (const propertyId of [v7(), theirs.id]) {
    const { status, error } = await update(id, { propertyId, guestCount: 3 })
    assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'propertyId'])
  }
  for (const guestCount of [-1, -(2 ** 53), -1e300]) {
    const { status, error } = await update(id, { guestCount })
    assert.deepEqual([status, error.code, error.details.field], [422, 'negative_number', 'guestCount'])
  }
  assert.equal((await read(id)).guestCount, 2)
})

test("another organization's reservation does not exist", async () => {
  const theirs = await (await organization(database)).make('reservations', { guestCount: 1 })
  for (const id of [theirs.id, v7()]) {
    const answer = await update(id, { guestCount: 2, propertyId: v7() })
    assert.deepEqual([answer.status, answer.error.code], [404, 'reservation_not_found'])
  }
})
