import type { SimulatedDevice, SimulationStore } from '../../src/providers/provider.ts'
import { simulated } from '../../src/providers/simulated.ts'
import type { Subject } from './contract.ts'

/** The simulator over a world in memory. */
export const simulatedSubject: Subject = {
  name: 'simulated',
  start: async () => {
    const plain = { online: true, delayMs: 0, fault: 'none', movement: null } as const
    const devices = new Map<string, SimulatedDevice>([
      ['lock', { ...plain, type: 'lock', batteryPercent: 64, lockState: 'locked' }],
      ['sensor', { ...plain, type: 'sensor', batteryPercent: null, lockState: null }],
    ])
    const moved = new Set<string>()
    const simulation: SimulationStore = {
      list: async () => [...devices].map(([externalId, device]) => ({ externalId, name: externalId, device })),
      load: async (externalId) => devices.get(externalId),
      save: async (externalId, device) => {
        if (device.movement) moved.add(device.movement.ref)
        devices.set(externalId, device)
      },
    }
    const change = (changes: Partial<SimulatedDevice>) => () => void devices.set('lock', { ...devices.get('lock')!, ...changes })
    const connection = simulated.connect({}, { clock: () => new Date(), simulation })
    return {
      connection,
      lock: 'lock',
      noLock: 'sensor',
      movements: () => moved.size,
      bolt: () => devices.get('lock')!.lockState as 'locked',
      faults: {
        offline: change({ online: false }),
        jams: change({ fault: 'jams' }),
        refuses: change({ fault: 'refuses' }),
        away: change({ fault: 'provider_away' }),
        slow: change({ delayMs: 60_000 }),
        loses_answer: change({ fault: 'loses_answer' }),
        stays_pending: change({ delayMs: 60_000 }),
      },
      mend: () => {
        const { movement } = devices.get('lock')!
        change({ ...plain, movement: movement && { ...movement, endsAt: new Date(0).toISOString() } })()
      },
      stop: () => connection.close(),
    }
  },
}
