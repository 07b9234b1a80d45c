import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Client, clientOf, organization, server, testServer, type World } from '../../../test/helper.ts'

const { app, database } = await testServer()
const otherNode = server().app

type Step = { id: string; title: string; sortOrder: number; updatedAt: string }
type Scope = { propertyId: string } | { propertyGroupId: string }

/** The guide of a new property or property group with steps 0…n-1, seen from two nodes in turn. */
async function guide(size: number, kind: 'propertyId' | 'propertyGroupId' = 'propertyId') {
  const world: World = await organization(database)
  const [client, other] = [clientOf(app, world.key), clientOf(otherNode, world.key)]
  const place = await world.make(kind === 'propertyId' ? 'properties' : 'property_groups', { name: 'Here' })
  const neighbour = await world.make('properties', { name: 'There' })
  for (let n = 0; n < 3; n++) await world.make('instructions', { propertyId: neighbour.id, title: `N${n}`, sortOrder: n })
  const scope = { [kind]: place.id } as Scope
  const ids: string[] = []
  for (let n = 0; n < size; n++) ids.push((await world.make('instructions', { ...scope, title: `S${n}`, sortOrder: n })).id)
  let turn = 0
  const inTurn: Client = (route, call) => (turn++ % 2 ? client : other)(route, call)
  const steps = async (): Promise<Step[]> =>
    (await client('GET /instructions', { query: { [`${kind}s`]: place.id, limit: 100 } })).data
  const assertOrder = async (expected: string[]) => {
    const stored = await steps()
    assert.deepEqual(
      stored.map(({ sortOrder }) => sortOrder),
      stored.map((_, n) => n),
    )
    assert.deepEqual(
      stored.map(({ id }) => id),
      expected,
    )
    const { data } = await client('GET /instructions', { query: { propertyIds: neighbour.id } })
    assert.deepEqual(
      data.map(({ title, sortOrder }: Step) => [title, sortOrder]),
      [
        ['N0', 0],
        ['N1', 1],
        ['N2', 2],
      ],
    )
  }
  return { client: inTurn, scope, ids, steps, assertOrder }
}

const remove = (client: Client, id: string) => client('DELETE /instructions/{id}', { id })
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted()

for (const kind of ['propertyId', 'propertyGroupId'] as const)
  for (const deletes of [2, 10])
    test(`${deletes} deletes at once in the guide of a ${kind.slice(0, -2)} leave no gap`, async () => {
      for (let round = 0; round < 3; round++) {
        const { client, ids, assertOrder } = await guide(12, kind)
        const gone = ids.filter((_, n) => n % 5 !== 1).slice(0, deletes)
        const answers = await Promise.all(gone.map((id) => remove(client, id)))
        assert.deepEqual([...new Set(statuses(answers))], [200])
        await assertOrder(ids.filter((id) => !gone.includes(id)))
      }
    })

test('of several deletes of one step at once one succeeds, and the others hear that it is gone', async () => {
  const { client, ids, assertOrder } = await guide(4)
  const answers = await Promise.all(Array.from({ length: 6 }, () => remove(client, ids[1]!)))
  assert.deepEqual(statuses(answers), [200, 404, 404, 404, 404, 404])
  await assertOrder([ids[0]!, ids[2]!, ids[3]!])
})

test('steps added, moved, reordered and deleted at once leave the numbers 0…n-1', async () => {
  for (let round = 0; round < 3; round++) {
    const { client, scope, ids, steps, assertOrder } = await guide(8)
    const answers = await Promise.all([
      remove(client, ids[0]!),
      client('POST /instructions', { body: { ...scope, title: 'new', sortOrder: 2 } }),
      client('PATCH /instructions/{id}', { id: ids[7]!, body: { data: { sortOrder: 1 } } }),
      remove(client, ids[3]!),
      client('POST /instructions', { body: { ...scope, title: 'last' } }),
      client('POST /instructions/reorder', { body: { ...scope, ids: ids.toReversed() } }),
      client('PATCH /instructions/{id}', { id: ids[2]!, body: { data: { sortOrder: 4 } } }),
      remove(client, ids[5]!),
    ])
    // A new order made for steps of which one was deleted meanwhile is refused; everything else works.
    assert.deepEqual(statuses(answers.toSpliced(5, 1)), [200, 200, 200, 200, 200, 200, 200])
    assert.ok([200, 422].includes(answers[5]!.status))
    const stored = await steps()
    assert.equal(stored.length, 7)
    await assertOrder(stored.map(({ id }) => id))
  }
})

type Deed = { deed: 'add' | 'append' | 'move' | 'delete' | 'reorder'; from: number; to: number }

test('a guide behaves as a list of which steps are taken out and put in', async () => {
  const deed = fc.record<Deed>({
    deed: fc.constantFrom('add', 'append', 'move', 'delete', 'reorder'),
    from: fc.nat(20),
    to: fc.nat(20),
  })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('propertyId', 'propertyGroupId'), fc.array(deed, { maxLength: 8 }), async (kind, deeds) => {
      const { client, scope, ids, assertOrder } = await guide(3, kind)
      let list = ids
      for (const { deed, from, to } of deeds) {
        if (deed === 'add' || deed === 'append') {
          const place = deed === 'add' ? to % (list.length + 1) : list.length
          const body = deed === 'add' ? { ...scope, sortOrder: place } : scope
          const { data } = await client('POST /instructions', { body })
          assert.equal(data.sortOrder, place)
          list = list.toSpliced(place, 0, data.id)
        } else if (deed === 'reorder') {
          const turned = [...list.slice(from % (list.length + 1)), ...list.slice(0, from % (list.length + 1))]
          const { data } = await client('POST /instructions/reorder', { body: { ...scope, ids: turned } })
          assert.deepEqual(
            data.map(({ id }: Step) => id),
            turned,
          )
          list = turned
        } else if (list.length > 0) {
          const id = list[from % list.length]!
          const rest = list.filter((other) => other !== id)
          const place = to % list.length
          list = deed === 'delete' ? rest : rest.toSpliced(place, 0, id)
          if (deed === 'delete') assert.deepEqual((await remove(client, id)).data, { success: true })
          else {
            const { data } = await client('PATCH /instructions/{id}', { id, body: { data: { sortOrder: place } } })
            assert.equal(data.sortOrder, place)
          }
        }
      }
      await assertOrder(list)
    }),
    { numRuns: 20 },
  )
})
