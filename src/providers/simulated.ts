import { setTimeout as delay } from 'node:timers/promises'
import Type from 'typebox'
import { v7 } from 'uuid'
import {
  type Call,
  type Connection,
  type DeviceSnapshot,
  type LockReading,
  type Movement,
  type MovementOutcome,
  type Provider,
  ProviderError,
  type SimulatedDevice,
  type Surroundings,
} from './provider.ts'

const Settings = Type.Object({}, { additionalProperties: false })

/** Devices that exist nowhere but in the database: nothing is random, and everything goes wrong on request alone. */
export const simulated: Provider<typeof Settings> = {
  name: 'simulated',
  settings: Settings,
  connect: (_settings, surroundings) => connect(surroundings),
}

const ends: Record<Movement, 'locked' | 'unlocked'> = { lock: 'locked', unlock: 'unlocked' }

function connect({ clock, simulation }: Surroundings): Connection {
  let closed = false

  /** The device, with a movement that has ended by now. Throws where the provider is away or has no such device. */
  async function find(externalId: string): Promise<SimulatedDevice> {
    if (closed) throw new ProviderError('unavailable', 'The connection to the simulated provider is closed.')
    const device = await simulation.load(externalId)
    if (!device) throw new ProviderError('device_not_found', 'The simulated provider has no such device.')
    if (device.fault === 'provider_away') throw new ProviderError('unavailable', 'The simulated provider is away.')
    return arrived(device, clock())
  }

  async function end(externalId: string, ref: string, started: SimulatedDevice): Promise<MovementOutcome> {
    const device = (await simulation.load(externalId)) ?? started
    const ended = device.movement?.ref === ref ? { ...device, lockState: restOf(device), movement: null } : device
    await simulation.save(externalId, ended)
    if (device.fault === 'loses_answer') return { state: 'pending', ref: null }
    return outcomeOf(ended, ref)
  }

  return {
    async *list() {
      for (const { externalId, name, device } of await simulation.list()) {
        if (device.fault === 'provider_away') throw new ProviderError('unavailable', 'The simulated provider is away.')
        const snapshot = snapshotOf(arrived(device, clock()), clock())
        yield { externalId, name, type: device.type, ecosystem: null, snapshot }
      }
    },
    async refresh(externalId, { signal }) {
      const { delayMs } = await find(externalId)
      if (!(await passes(delayMs, { signal })))
        throw new ProviderError('timeout', 'The simulated provider did not answer in time.')
      return snapshotOf(await find(externalId), clock())
    },
    async move(externalId, movement, { signal }) {
      const device = await find(externalId)
      if (signal.aborted) throw new ProviderError('timeout', 'There was no time left to move the lock.')
      const failure = refusalOf(device)
      if (failure) return { state: 'failed', ref: null, error: failure }
      const ref = v7()
      const endsAt = new Date(clock().getTime() + device.delayMs).toISOString()
      const started: SimulatedDevice = { ...device, movement: { ref, to: ends[movement], endsAt } }
      await simulation.save(externalId, started)
      if (!(await passes(device.delayMs, { signal })))
        return { state: 'pending', ref: device.fault === 'loses_answer' ? null : ref }
      return end(externalId, ref, started)
    },
    async outcome(ref, externalId) {
      const device = await find(externalId)
      if (device.movement?.ref === ref) return { state: 'pending', ref }
      await simulation.save(externalId, device)
      return outcomeOf(device, ref)
    },
    async check() {
      for (const { device } of await simulation.list())
        if (device.fault === 'provider_away') throw new ProviderError('unavailable', 'The simulated provider is away.')
    },
    close: async () => {
      closed = true
    },
  }
}

/** Whether the time passed before the signal came. */
async function passes(milliseconds: number, { signal }: Call): Promise<boolean> {
  if (milliseconds === 0) return !signal.aborted
  return delay(milliseconds, true, { signal }).catch(() => false)
}

const restOf = ({ fault, movement, lockState }: SimulatedDevice): SimulatedDevice['lockState'] =>
  fault === 'jams' ? 'jammed' : (movement?.to ?? lockState)

function arrived(device: SimulatedDevice, now: Date): SimulatedDevice {
  if (!device.movement || new Date(device.movement.endsAt) > now) return device
  return { ...device, lockState: restOf(device), movement: null }
}

function refusalOf({ online, lockState, fault }: SimulatedDevice) {
  if (lockState === null) return { code: 'unsupported', message: 'The device is no lock.' } as const
  if (!online) return { code: 'device_offline', message: 'The device cannot be reached by its provider.' } as const
  return fault === 'refuses' ? ({ code: 'rejected', message: 'The device refused to move.' } as const) : undefined
}

function outcomeOf(device: SimulatedDevice, ref: string): MovementOutcome {
  if (device.lockState === 'jammed')
    return { state: 'failed', ref, error: { code: 'jammed', message: 'The bolt jammed on its way.' } }
  return { state: 'succeeded', ref, lock: readingOf(device), confirmed: device.online }
}

/** While the bolt is on its way nobody can say what it is. */
const readingOf = ({ lockState, movement }: SimulatedDevice): LockReading | null =>
  lockState && { state: movement ? 'unknown' : lockState, doorOpen: false }

function snapshotOf(device: SimulatedDevice, now: Date): DeviceSnapshot {
  const { online, batteryPercent } = device
  const nothing = { battery: null, lock: null, climate: null, issues: [], observedAt: now }
  if (!online) return { ...nothing, online, live: false }
  return {
    ...nothing,
    online,
    battery: batteryPercent === null ? null : { percent: batteryPercent, reportedAt: now },
    lock: readingOf(device),
    issues: device.lockState === 'jammed' ? [{ code: 'jammed', message: 'The bolt is jammed.' }] : [],
    live: true,
  }
}
