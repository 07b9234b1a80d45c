import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { organization, testServer } from '../../../test/helper.ts'
import { Reservation } from './reservation.ts'

const { client, make, database } = await testServer()

const whole = {
  bookingSourceId: 'airbnb',
  pmsProvider: 'hostaway',
  externalReservationId: 'EXT-1',
  confirmationCode: 'HM"1"',
  codeStatus: 'sent',
  status: 'confirmed',
  checkIn: '2026-06-01T13:00:00.000Z',
  checkOut: '2026-06-05T09:00:00.000Z',
  checkInOverride: '2026-06-01T12:00:00.000Z',
  checkOutOverride: '2026-06-05T10:00:00.000Z',
  etaCheckIn: '2026-06-01T14:15:00.125Z',
  etaCheckOut: '2026-06-05T08:00:00.000Z',
  confirmedAt: '2026-01-01T00:00:00.001Z',
  checkInState: 'checked_in',
  occupancyMethod: 'smart_lock',
  guestFirstName: 'Márta',
  guestLastName: "O'Keller",
  guestEmail: 'marta@mail.example',
  guestPhone: '+41 44 555 01 20',
  guestCount: 9_007_199_254_740_991,
  nightCount: 4,
  currency: 'EUR',
  subtotalCents: -9_007_199_254_740_991,
  totalFeeCents: 12_500,
  hostPayoutCents: 0,
  paymentStatus: 'paid',
  verificationStatus: 'verified',
  verificationStatusChangedAt: '2026-05-01T00:00:00.000Z',
  verificationStatusChangedReason: 'Passport\nseen',
  sourceText: 'Airbnb',
  isAutoScheduleDisabled: true,
  isReturning: true,
  portalLoadCount: 7,
  createdAt: '2026-01-01T08:00:00.000Z',
  updatedAt: '2026-01-02T09:30:00.125Z',
}

const fields = [
  ...['id', 'propertyId', 'propertyGroupId', 'bookingSourceId', 'pmsProvider', 'externalReservationId', 'confirmationCode'],
  ...['codeStatus', 'status', 'checkIn', 'checkOut', 'checkInOverride', 'checkOutOverride', 'etaCheckIn', 'etaCheckOut'],
  ...['confirmedAt', 'checkInState', 'occupancyMethod', 'guestId', 'guestFirstName', 'guestLastName', 'guestEmail'],
  ...['guestPhone', 'guestCount', 'nightCount', 'currency', 'subtotalCents', 'totalFeeCents', 'hostPayoutCents'],
  ...['paymentStatus', 'verificationStatus', 'verificationStatusChangedAt', 'verificationStatusChangedReason', 'sourceText'],
  ...['isAutoScheduleDisabled', 'isReturning', 'portalLoadCount', 'createdAt', 'updatedAt'],
]

test('a reservation answers every field of the contract with what is stored', async () => {
  const group = await make('property_groups', { name: 'Alfama' })
  const property = await make('properties', { propertyGroupId: group.id })
  const guest = await make('guests', { firstName: 'Somebody', lastName: 'Else' })
  const links = { propertyId: property.id, propertyGroupId: group.id, guestId: guest.id }
  const reservation = await make('reservations', { ...whole, ...links })

  const answer = await client('GET /reservations/{id}', { id: reservation.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.data), fields)
  assert.deepEqual(answer.data, { id: reservation.id, ...whole, ...links })
})

test('a reservation of which nothing is known answers null wherever the contract allows it', async () => {
  const reservation = await make('reservations')

  const { data } = await client('GET /reservations/{id}', { id: reservation.id })

  assert.ok(Compile(Reservation).Check(data))
  assert.deepEqual(Object.keys(data), fields)
  const told = Object.entries(data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([name]) => name),
    ['id', 'isAutoScheduleDisabled', 'isReturning', 'portalLoadCount', 'createdAt', 'updatedAt'],
  )
})

test("another organization's reservation does not exist", async () => {
  const other = await organization(database)
  const reservation = await other.make('reservations', whole)

  const answer = await client('GET /reservations/{id}', { id: reservation.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'reservation_not_found')
})
