import type { DeviceType } from './devices.ts'
import type { Random } from './random.ts'

/** What a device of a type last said, as providers report it. A `sound` lock is locked for certain. */
export function deviceState(
  type: DeviceType | null,
  observedAt: string,
  draw: Random,
  sound: boolean,
): Record<string, unknown> | null {
  if (type === null) return null
  const state = type === 'lock' && sound ? { lock: { state: 'locked', doorOpen: false } } : states[type](draw)
  return { lock: null, climate: null, issues: [], ...state, observedAt, live: false }
}

const climate = (draw: Random) => ({ temperatureC: draw.int(165, 265) / 10, humidityPercent: draw.int(38, 71) })

const states: Record<DeviceType, (draw: Random) => Record<string, unknown>> = {
  lock: (draw) => ({
    lock: {
      state: draw.pick(['locked', 'locked', 'locked', 'locked', 'unlocked', 'unlocked', 'jammed', 'unknown']),
      doorOpen: draw.pick([false, false, null]),
    },
  }),
  thermostat: (draw) => ({
    climate: climate(draw),
    thermostat: { mode: draw.pick(['heat', 'cool', 'auto', 'off']), targetC: draw.int(32, 46) / 2 },
  }),
  sensor: (draw) => ({ climate: climate(draw), noise: { decibels: draw.int(28, 74) } }),
  door_window_sensor: (draw) => ({ contact: { open: draw.chance(0.2) } }),
  sound_system: (draw) => ({ sound: { playing: draw.chance(0.3), volume: draw.int(0, 60) } }),
  hub: (draw) => ({ hub: { devices: draw.int(2, 9), firmware: `4.${draw.int(0, 3)}.${draw.int(0, 12)}` } }),
  light: (draw) => ({ light: { on: draw.chance(0.4), brightness: draw.int(10, 100) } }),
  camera: (draw) => ({ camera: { recording: draw.chance(0.5) } }),
  repeater: (draw) => ({ radio: { linkQuality: draw.int(60, 255) } }),
}
