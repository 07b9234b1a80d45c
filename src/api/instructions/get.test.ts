import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { organization, testServer } from '../../../test/helper.ts'
import { permissions } from '../../http/permissions.ts'
import { Instruction } from './instruction.ts'

const { client, make, keyFor, member, owner, database } = await testServer()

const fields = [
  ...['id', 'propertyId', 'propertyGroupId', 'deviceId', 'type', 'title', 'description', 'codeType', 'fixedCode', 'imageUrl'],
  ...['videoUrl', 'isAccessDisplayed', 'sortOrder', 'createdAt', 'updatedAt'],
]

const whole = {
  type: 'access',
  title: 'How to "get in"',
  description: 'Turn { the key }\n}} and {{ push',
  codeType: 'fixed',
  fixedCode: '4711#',
  imageUrl: 'https://images.example/door.jpg',
  videoUrl: 'https://videos.example/door.mp4',
  isAccessDisplayed: true,
  sortOrder: 3,
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-02T09:30:00.125Z',
}

test('a step answers every field of the contract; braces that make no placeholder stay', async () => {
  const property = await make('properties', { name: 'Aurora' })
  const device = await make('devices', { name: 'Front door' })
  const step = await make('instructions', { ...whole, propertyId: property.id, deviceId: device.id })

  const answer = await client('GET /instructions/{id}', { id: step.id })

  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.data), fields)
  const links = { propertyId: property.id, propertyGroupId: null, deviceId: device.id }
  assert.deepEqual(answer.data, { id: step.id, ...links, ...whole })
})

test('a step of which little is known answers null wherever the contract allows it', async () => {
  const group = await make('property_groups', { name: 'Coast' })
  const step = await make('instructions', { propertyGroupId: group.id, sortOrder: 0 })

  const { data } = await client('GET /instructions/{id}', { id: step.id })

  assert.deepEqual(Object.keys(data), fields)
  const told = Object.entries(data).filter(([, value]) => value !== null)
  assert.deepEqual(
    told.map(([name]) => name),
    ['id', 'propertyGroupId', 'sortOrder', 'createdAt', 'updatedAt'],
  )
  assert.ok(Compile(Instruction).Check(data))
})

test('fixedCode is null without view_lock_code, whether the key or the member lacks it', async () => {
  const property = await make('properties')
  const step = await make('instructions', { ...whole, propertyId: property.id })
  const rest = permissions.filter((permission) => permission !== 'view_lock_code')
  const weakKey = await keyFor(owner.id, { permissions: rest })
  const weakMember = await keyFor((await member({ permissions: rest })).id)

  for (const { key } of [weakKey, weakMember]) {
    const { data } = await client('GET /instructions/{id}', { id: step.id, key })
    assert.deepEqual(data, {
      id: step.id,
      propertyId: property.id,
      propertyGroupId: null,
      deviceId: null,
      ...whole,
      fixedCode: null,
    })
  }
})

test('title and description are resolved, and nothing else is', async () => {
  const property = await make('properties', { name: 'Aurora', wifiName: 'Aurora guests' })
  const texts = {
    title: 'Welcome to {{property.name}}',
    description: 'Wi-Fi: {{ property.wifiName }}.',
    type: '{{property.name}}',
    codeType: '{{property.name}}',
    fixedCode: '{{property.name}}',
    imageUrl: 'https://images.example/{{property.name}}.jpg',
    videoUrl: 'https://videos.example/{{property.name}}.mp4',
  }
  const step = await make('instructions', { propertyId: property.id, sortOrder: 0, ...texts })

  const { data } = await client('GET /instructions/{id}', { id: step.id })

  assert.equal(data.title, 'Welcome to Aurora')
  assert.equal(data.description, 'Wi-Fi: Aurora guests.')
  for (const name of ['type', 'codeType', 'fixedCode', 'imageUrl', 'videoUrl'] as const) assert.equal(data[name], texts[name])
  assert.deepEqual(Object.keys(data), fields)
})

test("another organization's step does not exist", async () => {
  const other = await organization(database)
  const property = await other.make('properties')
  const step = await other.make('instructions', { propertyId: property.id, sortOrder: 0 })

  const answer = await client('GET /instructions/{id}', { id: step.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'instruction_not_found')
})
