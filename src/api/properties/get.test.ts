import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'
import { Property } from './property.ts'

const { client, make, keyFor, member, owner, database } = await testServer()

const whole = {
  name: 'Casa "Azul"',
  nickname: 'Azul\n2',
  streetAddress: 'Rua da Saudade 12',
  unitNumber: '2º',
  city: 'Lisboa',
  state: 'Lisboa',
  postalCode: '1100-583',
  countryCode: 'PT',
  formattedAddress: 'Rua da Saudade 12, 1100-583 Lisboa',
  latitude: '38.7117',
  longitude: '-9.1316',
  timezone: 'Europe/Lisbon',
  coverImageUrl: 'https://images.example/azul.jpg',
  wifiName: 'Azul 📶',
  internalAccessNotes: 'The meter cupboard sticks.',
  codeDisplay: '4711',
  groupCodeDisplay: '0815',
  reviewRequestUrl: 'https://reviews.example/azul',
  reviewRequestOverrides: { airbnb: 'https://reviews.example/"a"', direct: '' },
  averageRating: 4.85,
  bathroomCount: 1.5,
  bedCount: 3,
  bedroomCount: 2,
  maxGuests: 4,
  defaultCheckInHour: 15,
  defaultCheckOutHour: 0,
  hideTimerHours: 0.5,
  readinessStatus: 'ready',
  cleaningStatus: 'clean',
  inspectionStatus: 'passed',
  maintenanceStatus: 'normal',
  hasCheckInInstructionTimer: true,
  isAddressHidden: false,
  isBackupSwapDisabled: true,
  isBookable: false,
  isCodeOverrideFixed: true,
  isDisabled: false,
  isInspectionRequired: true,
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-02T09:30:00.125Z',
}

const fields = [
  ...['id', 'name', 'nickname', 'propertyGroupId', 'portalSettingsId', 'streetAddress', 'unitNumber', 'city', 'state'],
  ...['postalCode', 'countryCode', 'formattedAddress', 'latitude', 'longitude', 'timezone', 'coverImageUrl', 'wifiName'],
  ...['internalAccessNotes', 'codeDisplay', 'groupCodeDisplay', 'reviewRequestUrl', 'reviewRequestOverrides'],
  ...['averageRating', 'bathroomCount', 'bedCount', 'bedroomCount', 'maxGuests', 'defaultCheckInHour'],
  ...['defaultCheckOutHour', 'hideTimerHours', 'readinessStatus', 'cleaningStatus', 'inspectionStatus', 'maintenanceStatus'],
  ...['hasCheckInInstructionTimer', 'isAddressHidden', 'isBackupSwapDisabled', 'isBookable', 'isCodeOverrideFixed'],
  ...['isDisabled', 'isInspectionRequired', 'createdAt', 'updatedAt'],
]

test('a property answers every field of the contract with what is stored', async () => {
  const group = await make('property_groups', { name: 'Alfama' })
  const portal = await make('portals', { name: 'Guests' })
  const links = { propertyGroupId: group.id, portalSettingsId: portal.id }
  const property = await make('properties', { ...whole, ...links })

  const answer = await client('GET /properties/{id}', { id: property.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.data), fields)
  assert.deepEqual(answer.data, { id: property.id, ...whole, ...links })
})

test('a property of which nothing is known answers null in every other field', async () => {
  const property = await make('properties')

  const { data } = await client('GET /properties/{id}', { id: property.id })

  assert.ok(Compile(Property).Check(data))
  assert.deepEqual(Object.keys(data), fields)
  const told = Object.entries(data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([name]) => name),
    ['id', 'reviewRequestOverrides', 'createdAt', 'updatedAt'],
  )
})

test('codes and access notes are null without private_code, whether the key or the member lacks it', async () => {
  const property = await make('properties', whole)
  const rest = permissions.filter((permission) => permission !== 'private_code')
  const weakKey = await keyFor(owner.id, { permissions: rest })
  const weakMember = await keyFor((await member({ permissions: rest })).id)

  for (const { key } of [weakKey, weakMember]) {
    const { data } = await client('GET /properties/{id}', { id: property.id, key })
    assert.deepEqual(Object.keys(data), fields)
    const hidden = { internalAccessNotes: null, codeDisplay: null, groupCodeDisplay: null }
    assert.deepEqual(data, { id: property.id, propertyGroupId: null, portalSettingsId: null, ...whole, ...hidden })
  }
})

test("another organization's property does not exist", async () => {
  const other = await organization(database)
  const property = await other.make('properties', whole)

  const answer = await client('GET /properties/{id}', { id: property.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'property_not_found')
})

test('an id that is no uuid is refused', async () => {
  for (const id of ['house', 'urn:uuid:0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10']) {
    const answer = await client('GET /properties/{id}', { id })
    assert.equal(answer.status, 400)
    assert.equal(answer.error.details.issues[0].path, 'params.id')
  }
})
