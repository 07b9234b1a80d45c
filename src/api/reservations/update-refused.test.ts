import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../../../test/helper.ts'

const { client, make } = await testServer()
const { id } = await make('reservations', { guestFirstName: 'Marta', checkIn: '2026-06-01T14:00:00Z' })

const moments = [
  ...['', 'tomorrow', '2026-02-30', '2026-13-01', '0000-01-01', '2026-6-1', '2026-06-01T15:00:00', '2026-06-01T24:00:00Z'],
  ...['2026-06-01 15:00:00Z', '2026-06-01T15:00:60Z', '2026-06-01T15:00:00+15:00', '2026-06-01T15:00:00.0000000001Z', 1, null],
]
const outOfReach = [
  ...['0001-01-01', '9999-12-31', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999999999-00:01'],
  ...['9999-12-31T23:00:00-14:00', '0001-01-01T10:00:00+14:00'],
]
const long = 'x'.repeat(501)

const refused: Record<string, unknown[]> = {
  checkIn: [...moments, ...outOfReach],
  checkOut: [...moments, ...outOfReach],
  confirmationCode: [1, null, long, 'a\0b', '\ud800'],
  etaCheckIn: [
    ...[
      '2026-06-01',
      '2026-06-01T14:30:00Z',
      '2026-06-01T14:30:00.12Z',
      '2026-06-01T14:30:00.1234Z',
      '2026-06-01T14:30:00.000+00:00',
    ],
    ...['2026-02-30T14:30:00.000Z', '0000-01-01T00:00:00.000Z', '2026-06-01T14:30:60.000Z', 1, null],
  ],
  etaCheckOut: ['2026-06-01T14:30:00', null],
  externalReservationId: [1, null, long],
  guestCount: ['3', null, 1.5, 2 ** 53, true],
  guestEmail: ['', 'nobody', 'a b@c', `${'x'.repeat(500)}@y`, 1],
  guestFirstName: [1, null, long],
  guestLastName: [1, null, long],
  guestPhone: [1, null, long],
  propertyId: ['', 'house', null, 1, 'urn:uuid:0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'],
  sourceText: [1, null, 'x'.repeat(20_001)],
  subtotalCents: ['3', null, 1.5, 2 ** 53, -(2 ** 53)],
  // Fields of a reservation that are not for this operation.
  nightCount: [3],
  status: ['confirmed'],
  propertyGroupId: ['0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'],
  checkInState: ['checked_in'],
}

for (const [field, values] of Object.entries(refused))
  test(`${field}: what breaks its declaration is refused by name`, async () => {
    for (const value of values) {
      const { status, error } = await client('PATCH /reservations/{id}', { id, body: { data: { [field]: value } } })
      assert.equal(status, 400, JSON.stringify(value))
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.data.${field}`])
    }
  })

test('moments out of reach are named together', async () => {
  const { error } = await client('PATCH /reservations/{id}', {
    id,
    body: { data: { checkIn: '0001-01-01', checkOut: '9999-12-31' } },
  })
  assert.deepEqual(
    error.details.issues.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [
      ['body.data.checkIn', 'range'],
      ['body.data.checkOut', 'range'],
    ],
  )
})

test('data is required, an object, and the only field', async () => {
  for (const body of [{}, { data: null }, { data: [] }, { data: 'x' }, { data: {}, id }, [], 'x']) {
    const answer = await client('PATCH /reservations/{id}', {
      id,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 400, JSON.stringify(body))
  }
})

test('the ends of every range are taken', async () => {
  const data = {
    checkIn: '0001-01-02',
    checkOut: '9999-12-30',
    etaCheckIn: '0001-01-01T00:00:00.000Z',
    etaCheckOut: '9999-12-31T23:59:59.999Z',
    guestCount: Number.MAX_SAFE_INTEGER,
    subtotalCents: Number.MIN_SAFE_INTEGER,
    guestFirstName: '',
    sourceText: '😀'.repeat(10_000),
  }
  const answer = await client('PATCH /reservations/{id}', { id, body: { data } })
  assert.equal(answer.status, 200, answer.text)
  const { checkIn, checkOut, ...rest } = data
  assert.deepEqual({ ...answer.data, ...rest }, answer.data)
  assert.deepEqual([answer.data.checkIn.slice(0, 10), answer.data.checkOut.slice(0, 10)], [checkIn, checkOut])
  const instants = { checkIn: '0001-01-01T00:00:00Z', checkOut: '9999-12-31T23:59:59.999999999Z' }
  const further = await client('PATCH /reservations/{id}', { id, body: { data: instants } })
  assert.deepEqual([further.data.checkIn, further.data.checkOut], ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
})
