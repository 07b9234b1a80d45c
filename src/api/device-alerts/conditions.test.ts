import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionsOf, type DeviceFacts } from './conditions.ts'
import type { AlertKind } from './device-alert.ts'

const now = new Date('2026-06-02T10:00:00.000Z')
const hour = 3_600_000
const limits = { lowBattery: 20, staleAfter: 24 * hour }
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
const state = (rest: object = {}) => ({ lock: null, issues: [], observedAt: ago(hour).toISOString(), ...rest })

const kindsOf = (facts: Partial<DeviceFacts>, open: AlertKind[] = [], given = limits) =>
  conditionsOf(
    {
      online: true,
      batteryLevel: null,
      deviceState: state(),
      createdAt: ago(90 * 24 * hour),
      isArchived: false,
      isOfAccount: true,
      isPolled: true,
      ...facts,
    },
    now,
    given,
    new Set(open),
  ).map(({ kind }) => kind)

test('offline: what is known to be offline, and not what is unknown', () => {
  assert.deepEqual(
    [true, false, null].map((online) => kindsOf({ online })),
    [[], ['offline'], []],
  )
})

test('a battery is low at the limit, and low no more 5 points above it', () => {
  const low = (batteryLevel: number | null, ...open: AlertKind[]) => kindsOf({ batteryLevel }, open).length === 1
  assert.deepEqual(
    [20, 20.5, 24.9, 25, null].map((level) => low(level)),
    [true, false, false, false, false],
  )
  assert.deepEqual(
    [20, 20.5, 24.9, 25, null].map((level) => low(level, 'low_battery')),
    [true, true, true, false, false],
  )
  assert.equal(low(22, 'offline'), false, 'another alert that is open makes no battery low')
})

test('where the limit is near the top, a full battery is not low', () => {
  const given = { ...limits, lowBattery: 98 }
  assert.deepEqual(kindsOf({ batteryLevel: 99.5 }, ['low_battery'], given), ['low_battery'])
  assert.deepEqual(kindsOf({ batteryLevel: 100 }, ['low_battery'], given), [])
})

test('a device that calls its battery low is believed, whatever the percent', () => {
  for (const code of ['battery_low', 'low_battery'])
    assert.deepEqual(kindsOf({ batteryLevel: 60, deviceState: state({ issues: [{ code, message: 'low' }] }) }), ['low_battery'])
})

test('jammed: by what the lock was seen to be, or by an issue', () => {
  assert.deepEqual(kindsOf({ deviceState: state({ lock: { state: 'jammed', doorOpen: null } }) }), ['jammed'])
  assert.deepEqual(kindsOf({ deviceState: state({ issues: [{ code: 'jammed', message: 'stuck' }] }) }), ['jammed'])
  assert.deepEqual(kindsOf({ deviceState: state({ lock: { state: 'unlocked', doorOpen: null } }) }), [])
})

test('stale: known for too long, or never seen since it came in', () => {
  const seen = (age: number) => state({ observedAt: ago(age).toISOString() })
  assert.deepEqual(kindsOf({ deviceState: seen(24 * hour - 1) }), [])
  assert.deepEqual(kindsOf({ deviceState: seen(24 * hour) }), ['stale'])
  assert.deepEqual(kindsOf({ deviceState: null }), ['stale'])
  assert.deepEqual(kindsOf({ deviceState: null, createdAt: ago(hour) }), [])
})

test('what is offline, or of an account that nobody polls, is not stale', () => {
  assert.deepEqual(kindsOf({ deviceState: null, isPolled: false }), [])
  assert.deepEqual(kindsOf({ deviceState: null, online: false }), ['offline'])
})

test('nothing holds of a device that is archived or belongs to no account', () => {
  const bad = { online: false, batteryLevel: 3, deviceState: state({ lock: { state: 'jammed' } }) }
  assert.deepEqual(kindsOf(bad), ['offline', 'low_battery', 'jammed'])
  assert.deepEqual(kindsOf({ ...bad, isArchived: true }), [])
  assert.deepEqual(kindsOf({ ...bad, isOfAccount: false }), [])
})

test('a state that was imported in any form says nothing', () => {
  for (const deviceState of [[], 'jammed', 3, { lock: 'jammed', issues: 'jammed', observedAt: 7 }, { issues: [null, 'x', {}] }])
    assert.deepEqual(kindsOf({ deviceState, createdAt: now }), [])
})
