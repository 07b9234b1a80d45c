import { connectAsync } from 'mqtt'

/** What is wrong with the lock, or with the hub: `silent` answers nothing, `garbage` no JSON. */
export type HubFault = 'jams' | 'refuses' | 'unreachable' | 'silent' | 'garbage'

export type ZigbeeHub = {
  fault: HubFault | undefined
  /** The names of the topics `NAME/set` that came. */
  commands: string[]
  bolt(): string
  setBolt(state: 'locked' | 'unlocked'): void
  /** What a device tells by itself. */
  report(name: string, payload: object): void
  availability(name: string, state: 'online' | 'offline'): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Ends without a word, so that the broker publishes its last will. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export const lockIeee = '0x00158d0000000001'
export const sensorIeee = '0x00158d0000000002'

const lockExposes = [
  {
    type: 'lock',
    features: [
      { type: 'binary', name: 'state', property: 'state', access: 7, value_on: 'LOCK', value_off: 'UNLOCK' },
      { type: 'enum', name: 'lock_state', property: 'lock_state', access: 1, values: ['not_fully_locked', 'locked', 'unlocked'] },
    ],
  },
  { type: 'numeric', name: 'battery', property: 'battery', access: 1, unit: '%' },
]
const sensorExposes = [
  { type: 'numeric', name: 'temperature', property: 'temperature', access: 1, unit: '°C' },
  { type: 'numeric', name: 'humidity', property: 'humidity', access: 1, unit: '%' },
  { type: 'numeric', name: 'battery', property: 'battery', access: 1, unit: '%' },
]

/** A hub with a lock and a sensor, that behaves as Zigbee2MQTT 2.14 does: see test/oracle/zigbee2mqtt.sh. */
export async function zigbeeHub(url: string, base: string): Promise<ZigbeeHub> {
  const will = { topic: `${base}/bridge/state`, payload: Buffer.from('{"state":"offline"}'), retain: true, qos: 1 } as const
  const client = await connectAsync(url, { will, reconnectPeriod: 0 })
  const names = new Map([
    [lockIeee, 'front door'],
    [sensorIeee, 'hall/climate'],
  ])
  let payload: Record<string, unknown> = { battery: 83, state: 'LOCK', lock_state: 'locked', linkquality: 120 }
  const publish = (topic: string, message: object | string, retain = false) =>
    client.publishAsync(`${base}/${topic}`, typeof message === 'string' ? message : JSON.stringify(message), { retain, qos: 1 })
  const tellLock = () => publish(names.get(lockIeee)!, payload)
  const fail = (verb: string) =>
    publish('bridge/logging', {
      level: 'error',
      message: `z2m: Publish '${verb}' 'state' to '${names.get(lockIeee)}' failed: 'Error: ZCL command ${lockIeee}/1 closuresDoorLock failed (Timeout)'`,
      namespace: 'z2m',
    })
  const devices = () =>
    publish(
      'bridge/devices',
      [
        { ieee_address: '0x00124b0000000000', type: 'Coordinator', friendly_name: 'Coordinator', definition: null },
        { ieee_address: lockIeee, type: 'EndDevice', friendly_name: names.get(lockIeee), definition: { exposes: lockExposes } },
        {
          ieee_address: sensorIeee,
          type: 'EndDevice',
          friendly_name: names.get(sensorIeee),
          definition: { exposes: sensorExposes },
        },
      ] as object,
      true,
    )

  const hub: ZigbeeHub = {
    fault: undefined,
    commands: [],
    bolt: () => String(payload.lock_state),
    setBolt: (state) => {
      payload = { ...payload, ...boltAt(state) }
    },
    report: (name, message) => void publish(name, message),
    availability: async (name, state) => void (await publish(`${name}/availability`, { state }, true)),
    rename: async (from, to) => {
      for (const [ieee, name] of names) if (name === from) names.set(ieee, to)
      await devices()
    },
    crash: async () => {
      client.stream.destroy()
      await client.endAsync(true)
    },
    stop: async () => {
      for (const topic of ['bridge/state', 'bridge/devices', ...[...names.values()].map((name) => `${name}/availability`)])
        if (client.connected) await publish(topic, '', true)
      await client.endAsync()
    },
  }

  async function told(command: Record<string, unknown>): Promise<void> {
    hub.commands.push(String(command.state))
    if (hub.fault === 'silent' || hub.fault === 'refuses') return
    if (hub.fault === 'unreachable') return void (await fail('set'))
    // The old state first; then what the lock itself reports.
    await tellLock()
    payload = { ...payload, ...(hub.fault === 'jams' ? jammed : boltAt(command.state === 'LOCK' ? 'locked' : 'unlocked')) }
    await tellLock()
  }

  async function asked(): Promise<void> {
    if (hub.fault === 'silent') return
    if (hub.fault === 'unreachable') return void (await fail('get'))
    await (hub.fault === 'garbage' ? publish(names.get(lockIeee)!, '\u0000not JSON') : tellLock())
  }

  client.on('message', (topic, bytes) => {
    const name = names.get(lockIeee)
    if (topic === `${base}/${name}/set`) void told(JSON.parse(bytes.toString()))
    if (topic === `${base}/${name}/get`) void asked()
    if (topic === `${base}/bridge/request/health_check` && hub.fault !== 'silent')
      void publish('bridge/response/health_check', { data: { healthy: true }, status: 'ok', ...JSON.parse(bytes.toString()) })
  })
  await client.subscribeAsync(`${base}/#`)
  await publish('bridge/state', { state: 'online' }, true)
  await devices()
  return hub
}

const boltAt = (state: 'locked' | 'unlocked') => ({ state: state === 'locked' ? 'LOCK' : 'UNLOCK', lock_state: state })
const jammed = { state: 'UNLOCK', lock_state: 'not_fully_locked' }
