import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { type Call, type Connection, type DeviceSnapshot, type Provider, ProviderError } from '../provider.ts'
import { type HubDevice, snapshotOf } from './device.ts'
import { type Hub, hubOf } from './hub.ts'
import { move } from './move.ts'

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Settings = Type.Object(
  {
    /** Of the MQTT broker. */
    url: Type.String({ maxLength: 500, pattern: '^mqtts?://[^/?#\\s]+$' }),
    username: Type.Optional(Text(200)),
    password: Type.Optional(Text(500)),
    /** Zigbee2MQTT's own setting `mqtt.base_topic`; `zigbee2mqtt` where it is left out. */
    baseTopic: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^+#/\\s][^+#\\s]*$' })),
  },
  { additionalProperties: false },
)

/**
 * Milliseconds. `answer`: in which a device answers what it is asked. `look`: between the looks at a bolt that moves, of which
 * there are three after the first wait. Together they stay below the 10 seconds of a call.
 */
export type Timings = { answer: number; look: number }
const usual: Timings = { answer: 8000, look: 2000 }

/** Zigbee2MQTT: the Zigbee devices of a house, through the hub in it and its MQTT broker. */
export const zigbee2mqtt = zigbee2mqttWith(usual)

export function zigbee2mqttWith(timings: Timings): Provider<typeof Settings> {
  return {
    name: 'zigbee2mqtt',
    settings: Settings,
    connect: ({ baseTopic = 'zigbee2mqtt', ...rest }, { clock }) => connect(hubOf({ baseTopic, ...rest }, clock), clock, timings),
  }
}

function connect(hub: Hub, clock: () => Date, timings: Timings): Connection {
  const shown = (device: HubDevice, online: boolean | null, live: boolean): DeviceSnapshot =>
    snapshotOf(device, hub.heard(device.ieee), { online, live, now: clock() })

  /** Asks the device itself, where it can be asked. */
  async function refresh(device: HubDevice, call: Call): Promise<DeviceSnapshot> {
    const online = hub.online(device.ieee)
    if (online === false || device.readable.length === 0) return shown(device, online, false)
    hub.publish(`${device.name}/get`, Object.fromEntries(device.readable.map((property) => [property, ''])))
    const answered = await hub.until(
      (news) => {
        if (news.kind === 'lost') return 'lost'
        if (news.kind === 'failure' && news.verb === 'get' && news.name === device.name) return 'unreachable'
        return news.kind === 'state' && news.name === device.name ? (news.readable ? 'read' : 'garbage') : undefined
      },
      timings.answer,
      call,
    )
    switch (answered) {
      case 'read':
        return shown(device, true, true)
      case 'unreachable':
        return shown(device, false, false)
      case 'garbage':
        throw new ProviderError('bad_response', 'The state of the device cannot be read.')
      case 'lost':
        throw new ProviderError('unavailable', 'Zigbee2MQTT went offline.')
      default:
        // The hub is there and the device is silent.
        return shown(device, hub.online(device.ieee) ?? false, false)
    }
  }

  return {
    async *list(call) {
      await hub.ready(call)
      for (const device of hub.devices()) {
        const snapshot = shown(device, hub.online(device.ieee), false)
        yield { externalId: device.ieee, name: device.name, type: device.type, ecosystem: 'zigbee', snapshot }
      }
    },
    async refresh(externalId, call) {
      await hub.ready(call)
      return refresh(hub.device(externalId), call)
    },
    async move(externalId, movement, call) {
      await hub.ready(call)
      return move(hub, hub.device(externalId), movement, timings, call)
    },
    // No movement has a ref: what is pending is looked at by reading the lock.
    outcome: async () => ({ state: 'pending', ref: null }),
    async check(call) {
      await hub.ready(call)
      const transaction = randomUUID()
      hub.publish('bridge/request/health_check', { transaction })
      const answer = await hub.until(
        (news) => {
          if (news.kind === 'lost') return 'lost'
          if (news.kind !== 'response' || news.topic !== 'bridge/response/health_check') return undefined
          const { transaction: of, status } = (news.payload ?? {}) as { transaction?: unknown; status?: unknown }
          return of === transaction ? (status === 'ok' ? 'well' : 'unwell') : undefined
        },
        timings.answer,
        call,
      )
      if (answer === undefined) throw new ProviderError('timeout', 'Zigbee2MQTT did not answer in time.')
      if (answer !== 'well') throw new ProviderError('unavailable', 'Zigbee2MQTT is not well.')
    },
    subscribe(listener) {
      const stop = hub.listen((news) => {
        if (news.kind !== 'availability' && !(news.kind === 'state' && news.readable)) return
        const device = hub.devices().find(({ name }) => name === news.name)
        if (!device) return
        // Who speaks is there, where nobody watches it.
        const online = hub.online(device.ieee) ?? (news.kind === 'state' ? true : null)
        listener(device.ieee, shown(device, online, false))
      })
      // It connects in the background; a hub that is away is heard as soon as it is back.
      hub.ready({ signal: AbortSignal.timeout(timings.answer) }).catch(() => {})
      return stop
    },
    close: () => hub.close(),
  }
}
