import type { Connection } from '../../src/providers/provider.ts'

/** A provider under test: each test starts a world of its own. */
export type Subject = { name: string; start(): Promise<World> }

/**
 * An account with at least a lock, which stands locked, and another device.
 *
 * `faults` are what can go wrong at this provider: what is absent cannot, and its tests are skipped. A fault stays until `mend`.
 */
export type World = {
  connection: Connection
  lock: string
  /** No lock; where the provider itself can tell that. */
  noLock?: string
  /** How often a lock was told to move. */
  movements(): number
  bolt(): 'locked' | 'unlocked' | 'jammed'
  faults: Partial<Record<Fault, () => void | Promise<void>>>
  mend(): void | Promise<void>
  /** Another connection of the same account, whose secret is wrong; `secret` is it. */
  wrongCredential?: { connection: Connection; secret: string }
  stop(): Promise<void>
}

/**
 * Of the device: `offline`, `jams`, `refuses`. `slow` (does not answer in any time that one waits). Of the provider: `away`
 * (nothing listens), `hangs` (takes everything, answers nothing), `garbage`, `loses_answer` (moves the bolt, then breaks off), `stays_pending` (has not moved the bolt yet).
 */
export type Fault = 'offline' | 'jams' | 'refuses' | 'slow' | 'away' | 'hangs' | 'garbage' | 'loses_answer' | 'stays_pending'
