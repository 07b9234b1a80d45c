import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Call, ids, organization, testServer } from '../../../test/helper.ts'

type Query = NonNullable<Call['query']>

const { client, make, database } = await testServer()

const coast = await make('property_groups', { name: 'Coast' })
const aurora = await make('properties', { name: 'Aurora', propertyGroupId: coast.id })
const boreal = await make('properties', { name: 'Boreal' })

const past = await make('reservations', {
  propertyId: aurora.id,
  propertyGroupId: coast.id,
  status: 'confirmed',
  checkIn: '2026-05-28T13:00:00Z',
  checkOut: '2026-06-01T09:00:00Z',
  checkInState: 'checked_out',
  guestFirstName: 'José',
  guestLastName: 'Núñez',
  guestEmail: 'pepe_100%@mail.example',
  confirmationCode: 'HM1',
  externalReservationId: 'X1',
  createdAt: '2026-01-01T00:00:01Z',
})
const current = await make('reservations', {
  propertyId: aurora.id,
  propertyGroupId: coast.id,
  status: 'confirmed',
  checkIn: '2026-06-01T13:00:00Z',
  checkOut: '2026-06-05T09:00:00Z',
  checkInState: 'checked_in',
  guestFirstName: 'Marta',
  guestLastName: 'Keller',
  confirmationCode: 'HM2',
  createdAt: '2026-01-01T00:00:02Z',
})
const coming = await make('reservations', {
  propertyId: boreal.id,
  status: 'tentative',
  checkIn: '2026-06-05T13:00:00.001Z',
  checkInState: 'not_checked_in',
  guestEmail: 'KELLER@mail.example',
  confirmationCode: 'hm2',
  createdAt: '2026-01-01T00:00:03Z',
})

const other = await organization(database)
const house = await other.make('properties', {})
const theirs = await other.make('reservations', {
  propertyId: house.id,
  status: 'confirmed',
  checkIn: '2026-06-01T13:00:00Z',
  checkOut: '2026-06-05T09:00:00Z',
  guestLastName: 'Keller',
  confirmationCode: 'HM2',
})

const list = (query: Query = {}) => client('GET /reservations', { query })

async function assertFound(cases: [Query, { id: string }[]][]): Promise<void> {
  for (const [query, expected] of cases) {
    const answer = await list(query)
    assert.deepEqual(
      ids(answer),
      expected.map(({ id }) => id),
      JSON.stringify(query),
    )
    assert.equal(answer.meta.pagination.total, expected.length)
  }
}

test('reservations are listed oldest first, each as it is read by id', async () => {
  const answer = await list()

  assert.deepEqual(ids(answer), [past.id, current.id, coming.id])
  assert.deepEqual(answer.meta.pagination, { limit: 50, offset: 0, total: 3 })
  for (const row of answer.data) assert.deepEqual((await client('GET /reservations/{id}', { id: row.id })).data, row)
})

test('each filter keeps what it names', () =>
  assertFound([
    [{ ids: [coming.id, past.id, v7()] }, [past, coming]],
    [{ ids: [theirs.id, 'no uuid'] }, []],
    [{ propertyIds: aurora.id }, [past, current]],
    [{ propertyIds: [aurora.id, boreal.id] }, [past, current, coming]],
    [{ propertyIds: house.id }, []],
    [{ propertyGroupIds: coast.id }, [past, current]],
    [{ statuses: 'tentative' }, [coming]],
    [{ statuses: ['tentative', 'confirmed'] }, [past, current, coming]],
    [{ statuses: 'a word nobody uses' }, []],
    [{ checkInStates: 'checked_in' }, [current]],
    [{ checkInStates: ['checked_out', 'not_checked_in'] }, [past, coming]],
    [{ propertyIds: aurora.id, checkInStates: 'checked_out', statuses: 'confirmed', guestContains: 'jose' }, [past]],
    [{ propertyIds: boreal.id, checkInStates: 'checked_in' }, []],
  ]))

test('a code and an external id are matched exactly', () =>
  assertFound([
    [{ confirmationCode: 'HM2' }, [current]],
    [{ confirmationCode: 'hm2' }, [coming]],
    [{ confirmationCode: 'HM' }, []],
    [{ confirmationCode: 'HM_' }, []],
    [{ externalReservationId: 'X1' }, [past]],
    [{ externalReservationId: 'X' }, []],
  ]))

test('arrivals and departures: from is inclusive, before exclusive, to the millisecond', () =>
  assertFound([
    [{ checkInFrom: '2026-06-01T13:00:00Z' }, [current, coming]],
    [{ checkInFrom: '2026-06-01T13:00:00.001Z' }, [coming]],
    [{ checkInBefore: '2026-06-01T13:00:00Z' }, [past]],
    [{ checkInBefore: '2026-06-01T13:00:00.001Z' }, [past, current]],
    [{ checkInFrom: '2026-06-01T00:00:00Z', checkInBefore: '2026-06-02T00:00:00Z' }, [current]],
    [{ checkInFrom: '2026-06-02T00:00:00Z', checkInBefore: '2026-06-01T00:00:00Z' }, []],
    [{ checkOutFrom: '2026-06-01T09:00:00Z', checkOutBefore: '2026-06-01T09:00:00.001Z' }, [past]],
    [{ checkOutFrom: '2026-06-01T09:00:00.001Z' }, [current]],
    [{ checkOutBefore: '2026-06-01T09:00:00Z' }, []],
  ]))

test('instants may be written with any offset, without seconds, and at the ends of the calendar', () =>
  assertFound([
    [{ checkInFrom: '2026-06-01T15:00+02:00', checkInBefore: '2026-06-01T09:00:00.001-04:00' }, [current]],
    [{ checkInFrom: '0001-01-01T00:00:00+14:00', checkInBefore: '9999-12-31T23:59:59.999999999-14:00' }, [past, current, coming]],
  ]))

test('a stay covers its check-in and not its check-out', () =>
  assertFound([
    [{ stayingAt: '2026-06-01T12:59:59.999Z' }, []],
    [{ stayingAt: '2026-06-01T13:00:00Z' }, [current]],
    [{ stayingAt: '2026-06-05T08:59:59.999Z' }, [current]],
    [{ stayingAt: '2026-06-05T09:00:00Z' }, []],
    [{ stayingAt: '2026-07-01T00:00:00Z' }, []],
  ]))

test("guestContains looks into the guest's name and e-mail, whatever the case and accents, wildcards taken literally", () =>
  assertFound([
    [{ guestContains: 'jose nunez' }, [past]],
    [{ guestContains: 'ÑEZ' }, [past]],
    [{ guestContains: 'keller' }, [current, coming]],
    [{ guestContains: '_100%' }, [past]],
    [{ guestContains: 'k%r' }, []],
    [{ guestContains: 'p_pe' }, []],
    [{ guestContains: '' }, [past, current, coming]],
  ]))

test('an instant that is none is refused by name', async () => {
  for (const instant of [
    '2026-06-01',
    '2026-06-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-06-01T24:00:00Z',
    '',
  ]) {
    for (const name of ['checkInFrom', 'checkInBefore', 'checkOutFrom', 'checkOutBefore', 'stayingAt']) {
      const answer = await list({ [name]: instant })
      assert.equal(answer.status, 400, `${name}=${instant}`)
      assert.equal(answer.error.details.issues[0].path, `query.${name}`)
    }
  }
})

test('bounds: an unknown check-in state and too many ids are refused', async () => {
  for (const query of [{ checkInStates: 'asleep' }, { ids: Array.from({ length: 201 }, () => v7()) }, { limit: 101 }])
    assert.equal((await list(query)).status, 400)
})
