import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type DeviceSnapshot, ecosystems, type ProviderDevice, ProviderError } from '../provider.ts'

const Issue = Type.Object({
  error_code: Type.Optional(Type.String()),
  warning_code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})
const Value = Type.Optional(Type.Object({ value: Type.Optional(Type.Number()) }))

/** What is read of Seam's device; the rest is not looked at. */
const SeamDevice = Type.Object({
  device_id: Type.String({ minLength: 1, maxLength: 200 }),
  device_type: Type.String(),
  display_name: Type.Optional(Type.String()),
  nickname: Type.Optional(Type.String()),
  capabilities_supported: Type.Optional(Type.Array(Type.String())),
  errors: Type.Optional(Type.Array(Issue)),
  warnings: Type.Optional(Type.Array(Issue)),
  properties: Type.Object({
    online: Type.Optional(Type.Boolean()),
    locked: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    door_open: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    name: Type.Optional(Type.String()),
    appearance: Type.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
    battery: Type.Optional(Type.Object({ level: Type.Number() })),
    battery_level: Type.Optional(Type.Number()),
    temperature_celsius: Type.Optional(Type.Number()),
    relative_humidity: Type.Optional(Type.Number()),
    minut_metadata: Type.Optional(
      Type.Object({ latest_sensor_values: Type.Optional(Type.Object({ temperature: Value, humidity: Value })) }),
    ),
  }),
})
type SeamDevice = Static<typeof SeamDevice>
const compiled = Compile(SeamDevice)

/** Telephones that open doors are devices to Seam, but of no property. */
export const isPhone = (device: unknown): boolean => /_phone$/.test((device as Partial<SeamDevice> | null)?.device_type ?? '')

/** Throws `bad_response` where it is no device. */
export function deviceOf(answer: unknown, now: Date): ProviderDevice {
  const device = checked(answer)
  const { appearance, name } = device.properties
  return {
    externalId: device.device_id,
    // The display name may be a word that all devices share.
    name: device.nickname ?? appearance?.name ?? device.display_name ?? name ?? null,
    type: typeOf(device),
    ecosystem: ecosystems.find((brand) => device.device_type.startsWith(`${brand}_`)) ?? 'seam',
    snapshot: snapshotOf(device, now),
  }
}

/** Seam says of nothing when it saw it, so that `now`, when it was asked, has to stand for it. Throws `bad_response` where it is no device. */
export function snapshotOf(answer: unknown, now: Date): DeviceSnapshot {
  const { properties, errors = [], warnings = [] } = checked(answer)
  const level = properties.battery?.level ?? properties.battery_level
  const minut = properties.minut_metadata?.latest_sensor_values
  const temperatureC = properties.temperature_celsius ?? minut?.temperature?.value ?? null
  const humidity = properties.relative_humidity
  const humidityPercent = humidity === undefined ? (minut?.humidity?.value ?? null) : percent(humidity)
  return {
    online: properties.online ?? null,
    battery: level === undefined ? null : { percent: percent(level), reportedAt: null },
    lock: lockOf(properties),
    climate: temperatureC === null && humidityPercent === null ? null : { temperatureC, humidityPercent },
    issues: [...errors, ...warnings].map(({ error_code, warning_code, message }) => ({
      code: error_code ?? warning_code ?? 'unknown',
      message: (message ?? '').slice(0, 500),
    })),
    observedAt: now,
    live: false,
  }
}

function checked(answer: unknown): SeamDevice {
  if (!compiled.Check(answer)) throw new ProviderError('bad_response', 'Seam answered a device that cannot be read.')
  return answer
}

function lockOf({ locked, door_open: doorOpen = null }: SeamDevice['properties']): DeviceSnapshot['lock'] {
  if (locked === undefined) return null
  return { state: locked === null ? 'unknown' : locked ? 'locked' : 'unlocked', doorOpen }
}

function typeOf({ device_type: type, capabilities_supported: capabilities = [] }: SeamDevice): ProviderDevice['type'] {
  if (type.endsWith('_lock')) return 'lock'
  if (type.endsWith('_thermostat')) return 'thermostat'
  if (type.endsWith('_sensor') || type === 'noiseaware_activity_zone') return 'sensor'
  if (type.endsWith('_camera')) return 'camera'
  return capabilities.includes('lock') ? 'lock' : null
}

/** Of a share from 0 to 1. */
const percent = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 100)
