import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { organization, server } from '../../test/helper.ts'
import { Nullable, Uuid } from '../http/schema.ts'
import { Computed, instantText, projection, snakeCase } from './projection.ts'
import { and, compile, containsFolded, join, oneOf, oneOfIds, raw, sql } from './sql.ts'

const { database } = server()
const { organizationId, make } = await organization(database)
const { db } = database.reader()

const Everything = Type.Object({
  id: Uuid,
  name: Nullable(Type.String()),
  type: Nullable(Type.Enum(['lock', 'hub'])),
  online: Nullable(Type.Boolean()),
  batteryLevel: Nullable(Type.Number()),
  deviceState: Type.Unknown(),
  isArchived: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  healthCheck: Nullable(Type.String({ format: 'date-time' })),
  nameLength: Computed(Type.Integer()),
})

/** What the projection must equal: PostgreSQL's own builder, the dearer way. */
const expected = sql`json_build_object(${join(
  Object.keys(Everything.properties).map((name) => {
    const column = `d.${snakeCase(name)}`
    if (name === 'nameLength') return sql`'nameLength', length(coalesce(d.name, ''))`
    if (name.endsWith('At') || name === 'healthCheck') return raw(`'${name}', ${instantText(column)}`)
    return raw(`'${name}', ${column}`)
  }),
  ', ',
)})::text`

const rows = [
  {},
  { name: '', type: 'lock', online: true, batteryLevel: 0 },
  {
    name: 'quote " backslash \\ slash / newline \n tab \t bell \u0007 ünïcödé 漢字 🏠 \u2028',
    type: 'hub',
    online: false,
    batteryLevel: 33.3,
  },
  { name: "it's {{a}} $1 %s '", batteryLevel: 100, deviceState: { a: [1, 'x"', null, { b: true }] }, isArchived: true },
  { healthCheck: new Date('0001-01-01T00:00:00.001Z'), createdAt: new Date('9999-12-31T23:59:59.999Z') },
]

test('the projected text is the JSON that json_build_object would build, for every kind of field', async () => {
  for (const columns of rows) {
    const { id } = await make('devices', columns)
    const from = sql`devices d where d.organization_id = ${organizationId} and d.id = ${id}`
    const row = projection(Everything, 'd', { nameLength: sql`length(coalesce(d.name, ''))::text` })
    const [ours, theirs] = [await db.one({ row, from }), await db.rows<{ j: string }>(sql`select ${expected} as j from ${from}`)]
    assert.deepEqual(JSON.parse(ours!.text), JSON.parse(theirs[0]!.j))
    assert.deepEqual(Object.keys(JSON.parse(ours!.text)), Object.keys(Everything.properties))
  }
})

test('a computed field without SQL is refused, by the compiler and when run', () => {
  // @ts-expect-error nameLength is computed
  assert.throws(() => projection(Everything, 'd'), /nameLength/)
})

test('values are bound, never written into the text', () => {
  const inner = sql`b = ${"'; drop table devices"}`
  const statement = compile(sql`select 1 where a = ${1} and ${inner} and ${oneOf('c', ['x', 'y'])} and ${oneOf('d', ['z'])}`)
  assert.equal(statement.text, 'select 1 where a = $1 and b = $2 and c = any($3) and d = $4')
  assert.deepEqual(statement.values, [1, "'; drop table devices", ['x', 'y'], 'z'])
})

test('equal shapes have equal texts, so that each is prepared once', () => {
  const text = (id: string) => compile(sql`select 1 from t where ${and(sql`id = ${id}`, false, undefined, '')}`).text
  assert.equal(text('a'), text('b'))
  assert.equal(compile(and()).text, 'true')
  assert.equal(compile(join([], ', ')).text, '')
})

test('one template filled differently gives different texts', () => {
  const fill = (a: string | ReturnType<typeof sql>, b: string | ReturnType<typeof sql>) => compile(sql`${a} and ${b}`).text
  assert.equal(fill('x', raw('y')), '$1 and y')
  assert.equal(fill(raw('y'), 'x'), 'y and $1')
  assert.equal(fill(raw('y'), raw('z')), 'y and z')
  assert.equal(fill('x', 'y'), '$1 and $2')
})

test('ids that are no UUIDs match nothing instead of failing a cast', () => {
  assert.equal(compile(oneOfIds('id', ['x', 'urn:uuid:0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10'])).text, 'false')
  assert.equal(compile(oneOfIds('id', ['0199e0f5-c2a0-7c3e-9d1f-4b6a8c2e7f10', ''])).text, 'id = $1')
})

test('contains ignores case and accents and takes wildcards as plain characters', async () => {
  const matches = async (name: string, term: string) => {
    const [row] = await db.rows<{ hit: boolean }>(
      sql`select ${containsFolded('fold(v.name)', term)!} as hit from (select ${name}::text as name) v`,
    )
    return row!.hit
  }
  assert.equal(await matches('Ático São João', 'SAO JOA'), true)
  assert.equal(await matches('ΟΔΌΣ', 'οδος'), true)
  for (const [name, term] of [
    ['a%b', 'a%b'],
    ['a_b', 'a_b'],
    ['a\\b', 'a\\b'],
    ['100％', '100%'],
  ] as const)
    assert.equal(await matches(name, term), true, name)
  for (const [name, term] of [
    ['aXb', 'a%b'],
    ['aXb', 'a_b'],
    ['ab', 'a\\b'],
  ] as const)
    assert.equal(await matches(name, term), false, term)
  assert.equal(containsFolded('x', ''), undefined)
})
