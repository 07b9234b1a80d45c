import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { v7 } from 'uuid'
import { testServer } from '../../../test/helper.ts'
import { learningAll } from './words.ts'

const now = Date.now()
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString()
const { client, make, member, keyFor, database, organizationId } = await testServer()

const department = await make('departments', { name: 'Cleans', category: 'cleans' })
const azul = await make('properties', { name: 'Casa Azul', nickname: 'Blue', formattedAddress: 'Rua 1, Lisboa' })
const names = [
  'Casanova',
  'Villa Casa',
  'Casa',
  'Azul Casa',
  'Żabka',
  'Ångström',
  '東京アパート',
  'Σίσυφος',
  'בית לבן',
  'دار السلام',
  'Къщата',
  '100% Relax',
  'A_B "C" 🏡',
]
const groups = new Map<string, string>()
for (const name of names) groups.set(name, (await make('property_groups', { name })).id)
await database.transaction((trx) => trx.run(learningAll(organizationId)))

const search = async (query: string, more: object = {}) => {
  const answer = await client('GET /search', { query: { query, ...more } })
  assert.equal(answer.status, 200, answer.text)
  return answer.data as {
    items: { entityId: string; entityType: string; name: string; subtitle: string | null; searchIndexId: string }[]
    total: number
  }
}
const found = async (query: string, more?: object) => (await search(query, more)).items.map(({ name }) => name)

test('the exact name comes first, then names that begin with it, then its words, then words that begin with it', async () => {
  assert.deepEqual(await found('casa'), ['Casa', 'Casa Azul', 'Azul Casa', 'Villa Casa', 'Casanova'])
})

test('case, accents and the order of words do not matter', async () => {
  for (const [query, name] of [
    ['AZUL casa', 'Azul Casa'],
    ['zabka', 'Żabka'],
    ['ANGSTRÖM', 'Ångström'],
    ['angstrom', 'Ångström'],
  ] as const)
    assert.equal((await found(query))[0], name, query)
})

test('names are found in every script, by a part where the script writes no spaces', async () => {
  for (const [query, name] of [
    ['東京', '東京アパート'],
    ['アパート', '東京アパート'],
    ['σισυφος', 'Σίσυφος'],
    ['לבן', 'בית לבן'],
    ['السلام', 'دار السلام'],
    ['къщ', 'Къщата'],
    ['🏡', 'A_B "C" 🏡'],
  ] as const)
    assert.deepEqual(await found(query), [name], query)
})

test('percent, underscore and quotes are separators, never wildcards', async () => {
  assert.deepEqual(await found('100%'), ['100% Relax'])
  assert.deepEqual(await found('"C"_A_B 🏡'), ['A_B "C" 🏡'])
  for (const query of ['%', '_', '"', "'", '\\', '!!', ' ', '&|:*'])
    assert.deepEqual(await search(query), { items: [], total: 0 }, query)
})

test('one typo is forgiven from four letters on, two from eight, and none where the query finds something as it stands', async () => {
  assert.equal((await found('csa azul'))[0], 'Azul Casa')
  assert.deepEqual(await found('Casnaova'), ['Casanova'])
  assert.deepEqual(await found('Kasanowa'), ['Casanova'])
  assert.deepEqual(await found('Bleu'), ['Casa Azul'])
  assert.deepEqual(await found('Xasanowax'), [])
  assert.deepEqual(await found('Casanov'), ['Casanova'])
})

test('a name is found as soon as the write that made it is answered, and after a change under the new name alone', async () => {
  const body = { departmentId: department.id, name: 'Descale the kettle' }
  const { id } = (await client('POST /tasks', { body, headers: { 'idempotency-key': v7() } })).data.task
  assert.deepEqual(
    (await search('desscale')).items.map(({ entityId }) => entityId),
    [id],
  )
  await client('PATCH /tasks/{id}', { id, body: { data: { name: 'Polish the samovar' } } })
  assert.deepEqual((await search('samowar')).items[0], {
    entityId: id,
    entityType: 'task',
    name: 'Polish the samovar',
    searchIndexId: `task:${id}`,
    subtitle: 'not_started',
  })
  assert.deepEqual(await found('kettle'), [])
  await client('DELETE /tasks/{id}', { id })
  assert.deepEqual(await found('samovar'), [])
})

test('invited members, new reservations and new properties are found, with a typo too', async () => {
  const invitation = { email: 'wilhelmina@example.org', firstName: 'Wilhelmina', lastName: 'Quist', role: 'viewer' }
  const invited = await client('POST /members', { body: invitation })
  const [user] = (await search('wilhelmna')).items
  assert.deepEqual([user!.entityType, user!.name, user!.entityId], ['user', 'Wilhelmina Quist', invited.data.userId])
  assert.equal((await found('wilhelmina@example.org'))[0], 'Wilhelmina Quist')

  await client('POST /reservations', {
    body: {
      propertyId: azul.id,
      checkIn: inDays(3),
      checkOut: inDays(5),
      guestFirstName: 'Bartholomew',
      guestLastName: 'Finch',
      confirmationCode: 'HMABCD1234',
    },
  })
  for (const query of ['Bartolomew', 'finch barth', 'hmabcd', 'HMABCD1234'])
    assert.equal((await found(query))[0], 'Bartholomew Finch', query)
  const [stay] = (await search('Finch')).items
  assert.equal(stay!.subtitle, `${inDays(3).slice(0, 10)} – ${inDays(5).slice(0, 10)}, Casa Azul`)

  await client('POST /properties', { body: { name: 'Quinta do Lago' } })
  assert.deepEqual(await found('Qiunta'), ['Quinta do Lago'])
})

test('of equal names what is open or to come stands before what is past', async () => {
  const stay = (from: number) =>
    make('reservations', { guestFirstName: 'Zelda', guestLastName: 'Moon', checkIn: inDays(from), checkOut: inDays(from + 2) })
  const [old, next, recent, current] = [await stay(-400), await stay(10), await stay(-9), await stay(-1)]
  await database.transaction((trx) => trx.run(learningAll(organizationId)))
  const order = (await search('zelda moon')).items.map(({ entityId }) => entityId)
  assert.deepEqual(order, [current.id, next.id, recent.id, old.id])
})

test('only types that the caller may view are found, and of those the ones that are asked for', async () => {
  const limited = await member({ permissions: ['view_tasks'], role: 'viewer' })
  const { key } = await keyFor(limited.id, { permissions: ['view_tasks'] })
  const seen = await client('GET /search', { query: { query: 'casa' }, key })
  assert.deepEqual([seen.status, seen.data], [200, { items: [], total: 0 }])
  assert.deepEqual(
    (await search('casa', { entityTypes: ['property'] })).items.map(({ name }) => name),
    ['Casa Azul'],
  )
  assert.deepEqual(await search('casa', { entityTypes: ['task', 'device'] }), { items: [], total: 0 })
})

test('total counts every find, and limit bounds the items', async () => {
  const { items, total } = await search('casa', { limit: 2 })
  assert.deepEqual([items.length, total], [2, 5])
  assert.equal((await search('casa')).items[0]!.searchIndexId, `property_group:${groups.get('Casa')}`)
})

test('another organization finds nothing of it', async () => {
  const other = await testServer()
  for (const query of ['casa', 'Casnaova', 'HMABCD1234']) {
    assert.deepEqual((await other.client('GET /search', { query: { query } })).data, { items: [], total: 0 })
  }
})

test('no text of 1 to 200 characters fails', async () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 200 })
    .filter((one) => !one.includes('\0') && one.isWellFormed() && [...one].length <= 200)
  await fc.assert(
    fc.asyncProperty(text, async (query) => void (await search(query))),
    { numRuns: 500 },
  )
  for (const query of ['a'.repeat(200), 'ab '.repeat(66), '🏡'.repeat(100), `${'abcdefgh'.repeat(3)} `.repeat(8)])
    await search(query)
})

test('what breaks its declaration is refused by name', async () => {
  for (const [query, path] of [
    ['', 'query.query'],
    ['query=', 'query.query'],
    [`query=${'a'.repeat(201)}`, 'query.query'],
    ['query=a&limit=0', 'query.limit'],
    ['query=a&limit=51', 'query.limit'],
    ['query=a&entityTypes=guest', 'query.entityTypes.0'],
  ]) {
    const answer = await client('GET /search', { query: query! })
    assert.deepEqual([answer.status, answer.error?.details.issues[0].path], [400, path], query)
  }
})
