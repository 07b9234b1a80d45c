import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

const now = new Date('2026-05-01T08:00:00.000Z')
const { client, make, keyFor, database, owner } = await testServer({ clock: () => now })

const coast = await make('property_groups', { name: 'Coast' })
const portal = await make('portals', { name: 'Guests' })
const create = (body: object, key?: string) => client('POST /properties', { body, ...(key ? { key } : {}) })

const whole = {
  name: 'Casa "Azul"',
  nickname: 'Azul\n2',
  propertyGroupId: coast.id,
  portalSettingsId: portal.id,
  streetAddress: 'Rua da Saudade 12',
  unitNumber: '2º',
  city: 'Lisboa',
  state: 'Lisboa',
  postalCode: '1100-583',
  countryCode: 'PT',
  formattedAddress: 'Rua da Saudade 12, 1100-583 Lisboa',
  latitude: '38.71170',
  longitude: '-9.1316',
  timezone: 'Europe/Lisbon',
  coverImageUrl: 'https://images.example/azul.jpg',
  wifiName: 'Azul 📶',
  internalAccessNotes: 'The meter cupboard sticks.',
  codeDisplay: '4711',
  groupCodeDisplay: '0815',
  reviewRequestUrl: 'https://reviews.example/azul',
  reviewRequestOverrides: { airbnb: 'https://reviews.example/"a"', 'booking.com': '' },
  averageRating: 4.85,
  bathroomCount: 1.5,
  bedCount: 3,
  bedroomCount: 0,
  maxGuests: 2_147_483_647,
  defaultCheckInHour: 0,
  defaultCheckOutHour: 23,
  hideTimerHours: 0.5,
  hasCheckInInstructionTimer: true,
  isAddressHidden: false,
  isBackupSwapDisabled: true,
  isBookable: false,
  isCodeOverrideFixed: true,
  isDisabled: false,
  isInspectionRequired: true,
}
const untouched = { readinessStatus: null, cleaningStatus: null, inspectionStatus: null, maintenanceStatus: null }

test('what is given is stored and answered; the event tells it, secrets apart', async () => {
  const answer = await create(whole)

  assert.equal(answer.status, 200)
  const { id } = answer.data
  const made = { id, ...untouched, createdAt: now.toISOString(), updatedAt: now.toISOString() }
  assert.deepEqual(answer.data, { ...whole, ...made })
  assert.deepEqual((await client('GET /properties/{id}', { id })).data, answer.data)
  const { data: events } = await client('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    [events.length, events[0].type, events[0].memberId, events[0].requestId],
    [1, 'property.created', owner.id, answer.meta.requestId],
  )
  const secret = ['internalAccessNotes', 'codeDisplay', 'groupCodeDisplay']
  const told = Object.entries(whole).map(([field, to]) => [field, secret.includes(field) ? { changed: true } : { to }])
  assert.deepEqual(events[0].changes, Object.fromEntries(told))
})

test('a name is enough', async () => {
  const { status, data } = await create({ name: 'Aurora' })
  assert.equal(status, 200)
  const told = Object.entries(data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([field]) => field),
    ['id', 'name', 'reviewRequestOverrides', 'createdAt', 'updatedAt'],
  )
  assert.deepEqual(data.reviewRequestOverrides, {})
})

test('without private_code codes and access notes are stored and not shown', async () => {
  const { key } = await keyFor(owner.id, { permissions: permissions.filter((permission) => permission !== 'private_code') })
  const { data } = await create(whole, key)
  assert.deepEqual([data.codeDisplay, data.groupCodeDisplay, data.internalAccessNotes], [null, null, null])
  assert.equal((await client('GET /properties/{id}', { id: data.id })).data.codeDisplay, '4711')
})

test('every reference that is wrong is named at once, another organization’s too', async () => {
  const other = await organization(database)
  const theirs = await other.make('portals')
  const { status, error } = await create({ name: 'X', propertyGroupId: v7(), portalSettingsId: theirs.id })
  assert.deepEqual([status, error.code, error.details.field], [422, 'invalid_reference', 'propertyGroupId'])
  const fields = error.details.fields.map(({ field }: { field: string }) => field)
  assert.deepEqual(fields, ['propertyGroupId', 'portalSettingsId'])
  assert.deepEqual((await client('GET /properties', { query: { nameContains: 'X' } })).data, [])
})

test('a time zone must be known by its very name to Intl and PostgreSQL', async () => {
  for (const timezone of ['Europe/Madrid', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'UTC'])
    assert.equal((await create({ name: 'X', timezone })).data.timezone, timezone)
  for (const timezone of [
    '',
    'Mars/Olympus',
    'europe/madrid',
    '+02:00',
    'CEST',
    'Europe/Madrid ',
    'posixrules',
    'FOO-3',
    '../etc',
  ]) {
    const { status, error } = await create({ name: 'X', timezone })
    assert.deepEqual([status, error.code, error.details], [422, 'unknown_time_zone', { field: 'timezone' }], timezone)
  }
})

test('degrees are taken up to their limits and never beyond, digit by digit', async () => {
  const taken = {
    latitude: ['0', '-0', '90', '-90', '90.000', '89.999999999999999', '-38.70', '9.5'],
    longitude: ['180', '-180.0', '179.999999999999999', '100', '-99.5', '0.000000000000001'],
  }
  for (const [field, values] of Object.entries(taken))
    for (const value of values) {
      const { status, data } = await create({ name: 'X', [field]: value })
      assert.deepEqual([status, data[field]], [200, value === '-0' ? '0' : value])
    }
})

test('what breaks its declaration is refused by name', async () => {
  const long = 'x'.repeat(501)
  const texts = [
    'nickname',
    'streetAddress',
    'unitNumber',
    'city',
    'state',
    'postalCode',
    'wifiName',
    'codeDisplay',
    'groupCodeDisplay',
  ]
  const flags = Object.entries(whole).flatMap(([field, value]) => (typeof value === 'boolean' ? [field] : []))
  const refused: Record<string, unknown[]> = {
    ...Object.fromEntries(texts.map((field) => [field, [1, null, long, 'a\0']])),
    ...Object.fromEntries(flags.map((field) => [field, ['true', 1, null]])),
    name: [undefined, null, '', long],
    propertyGroupId: ['group', null],
    portalSettingsId: ['portal', null],
    countryCode: ['pt', 'PRT', ''],
    formattedAddress: ['x'.repeat(20_001)],
    latitude: [38.7, '', '90.000000000000001', '-91', '00.5', '1e1', '+1', '.5', '5.', ' 5', '38,7', '0.0000000000000001', null],
    longitude: ['180.000000000000001', '-181', '200', '1000', '0x10', 'NaN', 'Infinity'],
    timezone: [1, null, 'x'.repeat(101)],
    coverImageUrl: ['ftp://images.example', 'azul.jpg', `https://x.example/${'x'.repeat(2000)}`, null],
    reviewRequestUrl: ['javascript:alert(1)'],
    internalAccessNotes: ['x'.repeat(20_001)],
    averageRating: [-1, '4', Number.MAX_VALUE],
    bathroomCount: [-0.5],
    bedCount: [1.5, -1, 2 ** 31],
    bedroomCount: ['2'],
    maxGuests: [2 ** 31, null],
    defaultCheckInHour: [-1, 24, 1.5, '15'],
    defaultCheckOutHour: [24, null],
    hideTimerHours: [-1],
    reviewRequestOverrides: [null, [], 'x'],
    readinessStatus: ['ready'],
    id: [v7()],
    createdAt: ['2026-01-01T00:00:00.000Z'],
  }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const { status, error } = await create({ name: 'X', [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      const paths = error.details.issues.map(({ path }: { path: string }) => path)
      assert.deepEqual([...new Set(paths)], [`body.${field}`])
    }
})

test('review addresses have channels for names and texts for values', async () => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, '']))
  for (const reviewRequestOverrides of [
    { airbnb: 1 },
    { airbnb: null },
    { '': 'x' },
    { 'a\0': 'x' },
    { 'a/b': 'x' },
    { '\ud800': 'x' },
    many,
  ]) {
    const { status, error } = await create({ name: 'X', reviewRequestOverrides })
    assert.equal(status, 400, JSON.stringify(reviewRequestOverrides).slice(0, 80))
    assert.match(error.details.issues[0].path, /^body\.reviewRequestOverrides/)
  }
  const odd = JSON.parse('{ "__proto__": "a", "constructor": "b" }')
  const answer = await create({ name: 'X', reviewRequestOverrides: odd })
  assert.match(answer.text, /"reviewRequestOverrides":\{"__proto__": ?"a", "constructor": ?"b"\}/)
})
