import Type from 'typebox'
import type { Connection, DeviceSnapshot, LockReading, MovementOutcome, Provider } from '../src/providers/provider.ts'

/** What the double does when asked; each test scripts the calls it is about. */
export type Script = Partial<Pick<Connection, 'list' | 'check' | 'refresh' | 'move' | 'outcome' | 'subscribe'>>

/** A provider that does what a test says, under the name of a real one, and remembers which movements it was sent. */
export function doubleProvider() {
  const script: Script = {}
  const moves: string[] = []
  const unscripted = (): never => {
    throw new Error('the test has no script for this call')
  }
  const settings = Type.Object({})
  const provider: Provider<typeof settings> = {
    name: 'seam',
    settings,
    connect: () => ({
      list: (call) => script.list?.(call) ?? nothing(),
      refresh: async (...given) => (script.refresh ?? unscripted)(...given),
      move: async (externalId, movement, call) => {
        moves.push(`${movement} ${externalId}`)
        return (script.move ?? unscripted)(externalId, movement, call)
      },
      outcome: async (...given) => (script.outcome ?? unscripted)(...given),
      check: async (call) => script.check?.(call),
      ...(script.subscribe ? { subscribe: script.subscribe } : {}),
      close: async () => {},
    }),
  }
  return { providers: { seam: provider }, script, moves }
}

async function* nothing() {}

/** A lock as it was just read, and whatever else a test says. */
export const snapshot = (state: LockReading['state'] | null, rest: Partial<DeviceSnapshot> = {}): DeviceSnapshot => ({
  online: true,
  battery: null,
  lock: state && { state, doorOpen: false },
  climate: null,
  issues: [],
  observedAt: new Date(),
  live: true,
  ...rest,
})

export const succeeded = (lock: LockReading['state'] | null): MovementOutcome => ({
  state: 'succeeded',
  ref: 'r-1',
  lock: lock && { state: lock, doorOpen: false },
  confirmed: lock !== null,
})

/** Never answers, and cares for no signal: the worst that a provider's code can do. */
export const hang = (): Promise<never> => new Promise(() => {})
