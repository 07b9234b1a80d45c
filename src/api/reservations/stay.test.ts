import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientOf, organization, testServer } from '../../../test/helper.ts'
import { sql } from '../../db/sql.ts'

const { client, make, database, app } = await testServer()
const reservation = await make('reservations')

/** The instant that the check-in of a day has in a property. */
async function arrival(zone: string, hour: number | null, day: string): Promise<string> {
  const property = await make('properties', { timezone: zone, defaultCheckInHour: hour })
  return checkIn(property.id, day)
}

async function checkIn(propertyId: string, day: string): Promise<string> {
  const answer = await client('PATCH /reservations/{id}', { id: reservation.id, body: { data: { propertyId, checkIn: day } } })
  assert.equal(answer.status, 200, answer.text)
  return answer.data.checkIn
}

// Zone, hour, day, and the instant: which of two, or how much later, where the clocks are changed.
const days: [string, number | null, string, string][] = [
  ['UTC', null, '2026-06-01', '2026-06-01T15:00:00.000Z'],
  ['Europe/Madrid', null, '2026-06-01', '2026-06-01T13:00:00.000Z'],
  ['Europe/Madrid', 0, '2026-01-01', '2025-12-31T23:00:00.000Z'],
  ['Europe/Madrid', 1, '2026-03-29', '2026-03-29T00:00:00.000Z'],
  ['Europe/Madrid', 2, '2026-03-29', '2026-03-29T01:00:00.000Z'], // skipped: 03:00
  ['Europe/Madrid', 3, '2026-03-29', '2026-03-29T01:00:00.000Z'],
  ['Europe/Madrid', 1, '2026-10-25', '2026-10-24T23:00:00.000Z'],
  ['Europe/Madrid', 2, '2026-10-25', '2026-10-25T01:00:00.000Z'], // twice: the second
  ['Europe/Madrid', 3, '2026-10-25', '2026-10-25T02:00:00.000Z'],
  ['Europe/Dublin', 1, '2026-03-29', '2026-03-29T01:00:00.000Z'], // skipped, in a zone whose winter time is the exception
  ['Europe/Dublin', 1, '2026-10-25', '2026-10-25T01:00:00.000Z'],
  ['America/New_York', 2, '2026-03-08', '2026-03-08T07:00:00.000Z'],
  ['America/New_York', 1, '2026-11-01', '2026-11-01T06:00:00.000Z'],
  ['America/Sao_Paulo', 0, '2018-11-04', '2018-11-04T03:00:00.000Z'], // midnight was skipped
  ['America/St_Johns', 15, '2026-06-01', '2026-06-01T17:30:00.000Z'],
  ['Asia/Kolkata', 15, '2026-06-01', '2026-06-01T09:30:00.000Z'],
  ['Asia/Kathmandu', 14, '2026-06-01', '2026-06-01T08:15:00.000Z'],
  ['Australia/Lord_Howe', 2, '2026-10-04', '2026-10-03T15:30:00.000Z'], // half an hour was skipped: 02:30
  ['Australia/Lord_Howe', 2, '2026-04-05', '2026-04-04T15:30:00.000Z'],
  ['Pacific/Chatham', 23, '2026-01-01', '2026-01-01T09:15:00.000Z'],
  ['Pacific/Apia', 15, '2011-12-30', '2011-12-31T01:00:00.000Z'], // the whole day was skipped
]

for (const [zone, hour, day, instant] of days)
  test(`${day} at ${hour ?? 'the usual hour'} in ${zone} is ${instant}`, async () => {
    assert.equal(await arrival(zone, hour, day), instant)
  })

test('a day means the instant at which the clocks of the property show its hour', async () => {
  const zones = [
    'Europe/Lisbon',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'America/Denver',
  ]
  const properties = await Promise.all(
    zones.flatMap((zone) =>
      [0, 2, 15].map(async (hour) => ({
        ...(await make('properties', { timezone: zone, defaultCheckInHour: hour })),
        zone,
        hour,
      })),
    ),
  )
  const day = fc
    .date({ min: new Date('2000-01-02'), max: new Date('2035-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...properties), day, async ({ id, zone, hour }, day) => {
      const instants = whenClocksShow(zone, day, hour)
      fc.pre(instants.length > 0)
      assert.equal(await checkIn(id, day), instants.at(-1))
    }),
    { numRuns: 60 },
  )
})

/** Every instant at which clocks in the zone show the hour of the day, found by looking at all quarters of an hour around. */
function whenClocksShow(timeZone: string, day: string, hour: number): string[] {
  const options = { dateStyle: 'short', timeStyle: 'short', timeZone } as const
  const clock = new Intl.DateTimeFormat('sv-SE', options)
  const noon = Date.parse(`${day}T12:00:00Z`)
  const quarters = Array.from({ length: 4 * 56 }, (_, i) => new Date(noon + (i - 4 * 28) * 900_000))
  const shown = `${day} ${String(hour).padStart(2, '0')}:00`
  return quarters.filter((instant) => clock.format(instant) === shown).map((instant) => instant.toISOString())
}

test('without a zone of the property the organization’s counts, and without one there UTC', async () => {
  // Casa Test is in Madrid.
  const house = await make('properties')
  assert.equal(await checkIn(house.id, '2026-06-01'), '2026-06-01T13:00:00.000Z')
  const nowhere = await organization(database)
  await database.transaction((trx) => trx.run(sql`update organizations set timezone = null where id = ${nowhere.organizationId}`))
  const call = clientOf(app, nowhere.key)
  for (const body of [{}, { propertyId: (await nowhere.make('properties')).id }]) {
    const stay = { ...body, checkIn: '2026-06-01', checkOut: '2026-06-03' }
    const { data } = await call('POST /reservations', { body: stay })
    assert.deepEqual([data.checkIn, data.checkOut, data.nightCount], ['2026-06-01T15:00:00.000Z', '2026-06-03T11:00:00.000Z', 2])
  }
})

test('nights are counted by the days where the property is, however long they last', async () => {
  const nights = async (timezone: string, checkIn: string, checkOut: string) => {
    const property = await make('properties', { timezone })
    return (await client('POST /reservations', { body: { propertyId: property.id, checkIn, checkOut } })).data.nightCount
  }
  assert.equal(await nights('Europe/Madrid', '2026-03-28', '2026-03-30'), 2)
  assert.equal(await nights('Europe/Madrid', '2026-10-24', '2026-10-26'), 2)
  // One evening in Tokyo is the day before in Honolulu, and a late check-in is past midnight elsewhere.
  assert.equal(await nights('Asia/Tokyo', '2026-06-01T23:30:00+09:00', '2026-06-02T00:30:00+09:00'), 1)
  assert.equal(await nights('Pacific/Honolulu', '2026-06-01T23:30:00+09:00', '2026-06-02T00:30:00+09:00'), 0)
  assert.equal(await nights('Pacific/Apia', '2011-12-29', '2011-12-31'), 2)
})
