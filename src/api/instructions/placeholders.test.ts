import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'

const { client, make, keyFor, member, owner, organizationId, database } = await testServer()

const portal = await make('portals', { name: 'Guests', supportEmail: 'help@mail.example', isDefault: true })
const ownPortal = await make('portals', { name: 'Villa guests' })
const group = await make('property_groups', { name: 'Coast', timezone: 'Europe/Lisbon' })
const device = await make('devices', {
  name: 'Front door',
  type: 'lock',
  batteryLevel: 84,
  online: true,
  deviceState: { code: 1 },
})

let sortOrder = 0

type Scope = { propertyId?: string; propertyGroupId?: string; deviceId?: string }

/** The description of a new step, as it is read. */
async function read(description: string, scope: Scope, key?: string): Promise<string> {
  const step = await make('instructions', { ...scope, description, sortOrder: sortOrder++ })
  const { data } = await client('GET /instructions/{id}', { id: step.id, ...(key ? { key } : {}) })
  return data.description
}

const property = await make('properties', {
  name: 'Aurora',
  nickname: 'A2',
  propertyGroupId: group.id,
  streetAddress: 'Rua da Saudade 12',
  latitude: '38.70',
  wifiName: 'Aurora guests',
  codeDisplay: '4711',
  groupCodeDisplay: '0815',
  internalAccessNotes: 'Key under the pot',
  averageRating: '4.80',
  defaultCheckInHour: 15,
  defaultCheckOutHour: 0,
  isBookable: false,
  reviewRequestOverrides: { airbnb: 'https://reviews.example' },
})
const ofProperty = { propertyId: property.id }

test('the fields of property, group, device, organization and portal are filled in by their names in the API', async () => {
  const cases: [string, string][] = [
    ['{{property.name}} {{property.nickname}}', 'Aurora A2'],
    ['{{property.id}}', property.id],
    ['{{property.streetAddress}}, {{property.latitude}}', 'Rua da Saudade 12, 38.70'],
    ['{{property.defaultCheckInHour}}:00 to {{property.defaultCheckOutHour}}:00', '15:00 to 0:00'],
    ['{{property.averageRating}}', '4.8'],
    ['{{property.isBookable}}', 'false'],
    ['{{propertyGroup.name}} {{property_group.timezone}}', 'Coast Europe/Lisbon'],
    ['{{device.name}} {{device.type}} {{device.batteryLevel}}', 'Front door lock 84'],
    ['{{organization.name}} {{organization.timezone}}', 'Casa Test Europe/Madrid'],
    ['{{portal.name}} {{portal.supportEmail}}', 'Guests help@mail.example'],
  ]
  for (const [text, expected] of cases) assert.equal(await read(text, { ...ofProperty, deviceId: device.id }), expected, text)
})

test('an unknown name, an empty value and what is no single value become nothing', async () => {
  const bare = await make('properties')
  const cases = [
    ...['{{property.colour}}', '{{house.name}}', '{{property}}', '{{}}', '{{ }}', '{{.}}', '{{property.}}', '{{.name}}'],
    ...['{{property.id.length}}', '{{property.wifi_name}}', '{{Property.name}}', '{{property .name}}', '{{property.name}}'],
    ...['{{property.reviewRequestOverrides}}', '{{device.deviceState}}', '{{device.linkedProperties}}'],
    ...['{{property.constructor}}', '{{property.__proto__}}', '{{__proto__.name}}', '{{constructor.name}}', '{{toString.name}}'],
    ...['{{instruction.fixedCode}}', '{{context.property}}', '{{propertyGroup.name}}'],
  ]
  for (const text of cases) assert.equal(await read(`a${text}b`, { propertyId: bare.id }), 'ab', text)
})

test('a step without a device has no device to name', async () => {
  assert.equal(await read('[{{device.name}}]', ofProperty), '[]')
})

test("a group's step knows its group, no property, and the organization's default portal", async () => {
  const text = '{{property.name}}|{{propertyGroup.name}}|{{portal.name}}|{{organization.id}}'
  assert.equal(await read(text, { propertyGroupId: group.id }), `|Coast|Guests|${organizationId}`)
})

test("the portal is the property's own, else the default, else none", async () => {
  const villa = await make('properties', { portalSettingsId: ownPortal.id })
  assert.equal(await read('{{portal.name}}{{portal.supportEmail}}', { propertyId: villa.id }), 'Villa guests')
  assert.equal(await read('{{portal.id}}', ofProperty), portal.id)
  const other = await organization(database)
  const house = await other.make('properties')
  const step = await other.make('instructions', { propertyId: house.id, sortOrder: 0, title: '[{{portal.name}}]' })
  assert.equal((await client('GET /instructions/{id}', { id: step.id, key: other.key })).data.title, '[]')
})

test('what a value contains is never filled in again', async () => {
  const sly = await make('properties', {
    name: '{{property.codeDisplay}}',
    nickname: '{{property.',
    city: 'city}}',
    wifiName: "$& $1 $` $' $<a> \\1 {{",
    codeDisplay: '4711',
  })
  const scope = { propertyId: sly.id }
  assert.equal(await read('{{property.name}}', scope), '{{property.codeDisplay}}')
  assert.equal(await read('{{property.nickname}}{{property.city}}', scope), '{{property.city}}')
  assert.equal(await read('{{property.nickname}}codeDisplay}}', scope), '{{property.codeDisplay}}')
  assert.equal(await read('{{property.wifiName}}property.codeDisplay}}', scope), "$& $1 $` $' $<a> \\1 {{property.codeDisplay}}")
  assert.equal(await read('{{property.{{property.city}}}}', scope), '{{property.city}}}}')
  assert.equal(await read('{{{property.codeDisplay}}}', scope), '{4711}')
})

test('codes and access notes are filled in for private_code alone, whether the key or the member lacks it', async () => {
  const text = '{{property.codeDisplay}}|{{property.groupCodeDisplay}}|{{property.internalAccessNotes}}|{{property.name}}'
  const rest = permissions.filter((permission) => permission !== 'private_code')
  const weakKey = await keyFor(owner.id, { permissions: rest })
  const weakMember = await keyFor((await member({ permissions: rest })).id)

  assert.equal(await read(text, ofProperty), '4711|0815|Key under the pot|Aurora')
  for (const { key } of [weakKey, weakMember]) assert.equal(await read(text, ofProperty, key), '|||Aurora')
})

test('a text does not grow beyond 50,000 characters: the values that would take it there are left out', async () => {
  const long = await make('properties', { internalAccessNotes: 'x'.repeat(20_000), city: 'y' })
  const text = `${'{{property.internalAccessNotes}}'.repeat(500)}{{property.city}}.`

  const filled = await read(text, { propertyId: long.id })

  assert.equal(filled.length, 40_002)
  assert.ok(filled === `${'x'.repeat(40_000)}y.`)
})

test('a text of many braces is read in no time', async () => {
  const texts = ['{{'.repeat(10_000), `{{${' '.repeat(19_990)}`, `${'{{ '.repeat(6_000)}}}`]
  const started = performance.now()
  for (const text of texts) await read(text, ofProperty)
  assert.ok(performance.now() - started < 2_000)
})
