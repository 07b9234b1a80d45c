import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { DeviceSnapshot, LockReading, Movement, ProviderDevice } from '../provider.ts'

/** What is read of an entry of `bridge/devices`. */
const Entry = Type.Object({
  ieee_address: Type.String({ minLength: 1, maxLength: 200 }),
  friendly_name: Type.String({ minLength: 1 }),
  type: Type.String(),
  disabled: Type.Optional(Type.Boolean()),
  definition: Type.Optional(Type.Union([Type.Null(), Type.Object({ exposes: Type.Optional(Type.Array(Type.Unknown())) })])),
})
const entries = Compile(Type.Array(Entry))

/** Something a device says of itself, or can be told (https://www.zigbee2mqtt.io/guide/usage/exposes.html). */
type Exposed = {
  type?: string
  property?: string
  access?: number
  value_on?: unknown
  value_off?: unknown
  features?: Exposed[]
}

/** `readable`: what the device answers when it is asked (access bit 4). `lock`: how it is told to move. */
export type HubDevice = {
  ieee: string
  /** Its topic below the base; people change it. */
  name: string
  type: ProviderDevice['type']
  readable: readonly string[]
  lock: { property: string; values: Record<Movement, unknown>; readable: boolean } | null
}

/** What a device's topic said last, everything that it ever said merged. */
export type Heard = { payload: Record<string, unknown>; at: Date }

/** The devices in the payload of `bridge/devices`, without the coordinator; undefined where it cannot be read. */
export function devicesOf(payload: unknown): HubDevice[] | undefined {
  if (!entries.Check(payload)) return undefined
  return payload.filter(({ type, disabled }) => type !== 'Coordinator' && !disabled).map(deviceOf)
}

function deviceOf(entry: Static<typeof Entry>): HubDevice {
  const exposes = (entry.definition?.exposes ?? []) as Exposed[]
  const said = exposes.flatMap((one) => [one, ...(one.features ?? [])])
  const readable = said.filter(({ property, access = 0 }) => property && access & 4).map(({ property }) => property!)
  return {
    ieee: entry.ieee_address,
    name: entry.friendly_name,
    type: typeOf(entry.type, exposes, said),
    readable: readable.filter((property) => worthAsking.has(property)),
    lock: lockOf(exposes),
  }
}

const worthAsking = new Set(['state', 'lock_state', 'battery', 'temperature', 'local_temperature', 'humidity'])

function lockOf(exposes: Exposed[]): HubDevice['lock'] {
  const bolt = exposes.find(({ type }) => type === 'lock')?.features?.find(({ value_on }) => value_on !== undefined)
  if (!bolt?.property) return null
  const { property, value_on: lock, value_off: unlock, access = 0 } = bolt
  return { property, values: { lock, unlock }, readable: (access & 4) !== 0 }
}

function typeOf(role: string, exposes: Exposed[], said: Exposed[]): HubDevice['type'] {
  const kinds = new Set(exposes.map(({ type }) => type))
  const properties = new Set(said.map(({ property }) => property))
  if (kinds.has('lock')) return 'lock'
  if (kinds.has('climate')) return 'thermostat'
  if (kinds.has('light')) return 'light'
  if (properties.has('contact')) return 'door_window_sensor'
  if (sensed.some((property) => properties.has(property))) return 'sensor'
  return role === 'Router' && [...properties].every((property) => property === undefined || property === 'linkquality')
    ? 'repeater'
    : null
}

const alarms = ['battery_low', 'tamper', 'water_leak', 'smoke', 'gas', 'carbon_monoxide']
const sensed = [...alarms.slice(2), 'temperature', 'humidity', 'occupancy', 'presence', 'vibration', 'illuminance', 'pressure']

export type Circumstances = { online: boolean | null; live: boolean; now: Date }

/** A device of which nothing was heard yet is described by null. */
export function snapshotOf(device: HubDevice, heard: Heard | undefined, { online, live, now }: Circumstances): DeviceSnapshot {
  const payload = heard?.payload ?? {}
  const lock = readingOf(device, payload)
  const temperatureC = numberOf(payload.temperature) ?? numberOf(payload.local_temperature)
  const humidityPercent = numberOf(payload.humidity)
  const percent = numberOf(payload.battery)
  const issues = alarms.filter((name) => payload[name] === true)
  return {
    online,
    // When the battery itself was reported is not said: it is repeated in every message.
    battery: percent === null ? null : { percent: Math.round(Math.min(100, Math.max(0, percent))), reportedAt: null },
    lock,
    climate: temperatureC === null && humidityPercent === null ? null : { temperatureC, humidityPercent },
    issues: [...(lock?.state === 'jammed' ? ['jammed'] : []), ...issues].map((code) => ({
      code,
      message: `The device reports ${code.replaceAll('_', ' ')}.`,
    })),
    // The hub's clock may differ; of what was read just now the own one tells.
    observedAt: live ? now : (heard?.at ?? now),
    live,
  }
}

/** A jam has the `state` of an unlocked door: `lock_state` goes first. */
export function readingOf({ lock }: HubDevice, payload: Record<string, unknown>): LockReading | null {
  if (!lock || (payload.lock_state === undefined && payload[lock.property] === undefined)) return null
  const door = payload.door_state
  return { state: boltOf(lock, payload), doorOpen: door === 'open' ? true : door === 'closed' ? false : null }
}

function boltOf(lock: NonNullable<HubDevice['lock']>, payload: Record<string, unknown>): LockReading['state'] {
  if (payload.lock_state === 'not_fully_locked') return 'jammed'
  if (payload.lock_state === 'locked' || payload.lock_state === 'unlocked') return payload.lock_state
  const state = payload[lock.property]
  if (state === lock.values.lock) return 'locked'
  return state === lock.values.unlock ? 'unlocked' : 'unknown'
}

/** The time of `last_seen`, which the hub's settings may show as ISO 8601 or as milliseconds; else undefined. */
export function lastSeenOf({ last_seen: seen }: Record<string, unknown>): Date | undefined {
  if (typeof seen !== 'string' && typeof seen !== 'number') return undefined
  const time = new Date(seen)
  return Number.isNaN(time.getTime()) ? undefined : time
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)
