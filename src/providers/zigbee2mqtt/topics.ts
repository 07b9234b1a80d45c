import { devicesOf, type Heard, type HubDevice, lastSeenOf } from './device.ts'

/**
 * Something that was heard. `link`: the hub itself, or its list of devices. `state`: of a device, where its payload can be read.
 * `failure`: the hub could not tell or ask the device of that name. `lost`: the connection or the hub ended, no answer comes any more.
 */
export type News =
  | { kind: 'link' | 'lost' }
  | { kind: 'state'; name: string; readable: boolean }
  | { kind: 'availability'; name: string }
  | { kind: 'failure'; verb: 'set' | 'get'; name: string; message: string }
  | { kind: 'response'; topic: string; payload: unknown }

/** What the topics of a hub have said since the connection stands: of devices by their names, as the topics go. */
export type Known = {
  online: boolean | undefined
  /** By IEEE address. */
  devices: Map<string, HubDevice> | 'unreadable' | undefined
  states: Map<string, Heard>
  available: Map<string, boolean>
}
export const unknown = (): Known => ({ online: undefined, devices: undefined, states: new Map(), available: new Map() })

export type Arrival = { retain: boolean; now: Date }

/** Notes what a topic, told without the base, says. Undefined where it is nothing of interest. */
export function hear(known: Known, topic: string, bytes: Buffer, arrival: Arrival): News | undefined {
  const payload = jsonOf(bytes)
  if (topic === 'bridge/state') {
    known.online = stateOf(payload) === 'online'
    return { kind: known.online ? 'link' : 'lost' }
  }
  if (topic === 'bridge/devices') return hearDevices(known, payload)
  if (topic === 'bridge/logging') return failureIn(payload)
  if (topic.startsWith('bridge/response/')) return { kind: 'response', topic, payload }
  if (topic.startsWith('bridge/') || /\/[gs]et$/.test(topic)) return undefined
  if (topic.endsWith('/availability')) {
    const name = topic.slice(0, -'/availability'.length)
    known.available.set(name, stateOf(payload) === 'online')
    return { kind: 'availability', name }
  }
  return hearState(known, topic, payload, arrival)
}

function hearDevices(known: Known, payload: unknown): News {
  const before = known.devices
  const devices = devicesOf(payload)
  known.devices = devices ? new Map(devices.map((device) => [device.ieee, device])) : 'unreadable'
  for (const { ieee, name } of devices ?? []) {
    const former = before instanceof Map ? before.get(ieee)?.name : undefined
    if (former !== undefined && former !== name) rename(known, former, name)
  }
  return { kind: 'link' }
}

function rename({ states, available }: Known, former: string, name: string): void {
  for (const topics of [states, available] as Map<string, unknown>[]) {
    if (!topics.has(former)) continue
    topics.set(name, topics.get(former))
    topics.delete(former)
  }
}

/** What failed is said in a line of the log alone. */
function failureIn(payload: unknown): News | undefined {
  const { level, message } = (payload ?? {}) as { level?: unknown; message?: unknown }
  if (level !== 'error' || typeof message !== 'string') return undefined
  const [, verb, name] = /Publish '([gs]et)' '.*?' to '(.+?)' failed/.exec(message) ?? []
  return name === undefined ? undefined : { kind: 'failure', verb: verb as 'set' | 'get', name, message }
}

/** Retained messages may come before the list of devices does. */
function hearState({ states }: Known, name: string, payload: unknown, { retain, now }: Arrival): News | undefined {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return { kind: 'state', name, readable: false }
  const said = payload as Record<string, unknown>
  const at = lastSeenOf(said)
  // What the broker kept and bears no time may be of last year.
  if (retain && !at) return undefined
  states.set(name, { payload: { ...states.get(name)?.payload, ...said }, at: at ?? now })
  return { kind: 'state', name, readable: true }
}

/** Older hubs publish the bare word. */
const stateOf = (payload: unknown): unknown =>
  typeof payload === 'string' ? payload : (payload as { state?: unknown } | undefined)?.state

function jsonOf(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
