import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPlaces } from './command-places.ts'

/** How many of `asks` requests an account is given a place for. */
function taken(places: ReturnType<typeof commandPlaces>, account: string, asks = 1000): number {
  let given = 0
  for (let ask = 0; ask < asks; ask++) {
    try {
      places.enter().occupy(account)
      given++
    } catch {
      return given
    }
  }
  return given
}

test('an account takes as many places as it leaves free, so that there is always one for another', () => {
  const places = commandPlaces(500)
  assert.equal(taken(places, 'a'), 250)
  assert.equal(taken(places, 'b'), 125)
  for (const account of 'cdefg') assert.ok(taken(places, account) > 0)
  const one = commandPlaces(1)
  assert.deepEqual([taken(one, 'a'), taken(one, 'b')], [1, 0])
})

test('a request holds one place however often it asks, and gives it back once', () => {
  const places = commandPlaces(2)
  const place = places.enter()
  place.occupy('a')
  place.occupy('a')
  assert.throws(() => places.enter().occupy('a'), { code: 'overloaded' })
  place.leave()
  place.leave()
  assert.equal(taken(places, 'a'), 1)
  assert.equal(taken(places, 'b'), 1)
})
