import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, LockReading, Movement, MovementOutcome } from '../../providers/provider.ts'
import { ProviderError } from '../../providers/provider.ts'
import { limited } from './limit.ts'
import type { Sighting } from './seen.ts'

/** A movement that was sent, or may have been. */
export type Sent = { externalId: string; movement: Movement; ref: string | null; sentAt: Date; clock: () => Date }

/** What is known of a movement. `succeeded` means that the lock was seen where it was to go; `snapshot` is what was seen on the way. */
export type Finding =
  | { state: 'succeeded'; lock: LockReading; snapshot: Sighting }
  | { state: 'failed'; error: { code: string; message: string }; lock: LockReading | null; snapshot?: Sighting }
  | { state: 'pending'; ref: string | null; snapshot?: Sighting }

/** Milliseconds between two looks while a request waits. */
const pace = 500

/** Looks until the movement has ended or the signal comes. */
export async function follow(connection: Connection, sent: Sent, signal: AbortSignal): Promise<Finding> {
  for (;;) {
    const finding = await check(connection, sent, signal)
    if (finding.state !== 'pending' || signal.aborted) return finding
    await delay(pace, undefined, { signal }).catch(() => {})
    if (signal.aborted) return finding
  }
}

/** Asks the provider once what became of a movement, and looks at the lock where its word is not enough. */
export async function check(connection: Connection, sent: Sent, signal: AbortSignal): Promise<Finding> {
  const { ref, externalId } = sent
  if (ref === null) return look(connection, sent, signal)
  const outcome = await quietly(limited(signal, (call) => connection.outcome(ref, externalId, call)))
  return outcome ? judge(connection, sent, outcome, signal) : { state: 'pending', ref }
}

/** A movement's outcome, as far as it was seen: the provider's word alone is a reason to look. */
export async function judge(connection: Connection, sent: Sent, outcome: MovementOutcome, signal: AbortSignal): Promise<Finding> {
  if (outcome.state === 'failed') return { state: 'failed', error: outcome.error, lock: null }
  if (outcome.state === 'pending') return { state: 'pending', ref: outcome.ref }
  if (!outcome.confirmed || !outcome.lock) return look(connection, { ...sent, ref: outcome.ref ?? sent.ref }, signal)
  // Of the lock alone: nothing else of the device was looked at.
  const read: Sighting = {
    online: true,
    battery: null,
    lock: outcome.lock,
    climate: null,
    issues: null,
    observedAt: sent.clock(),
    live: true,
  }
  return judgeSnapshot({ ...sent, ref: outcome.ref ?? sent.ref }, read)
}

/** Judges a movement by the state of the lock, read after it was sent. */
export async function look(connection: Connection, sent: Sent, signal: AbortSignal): Promise<Finding> {
  const snapshot = await quietly(limited(signal, (call) => connection.refresh(sent.externalId, call)))
  return snapshot ? judgeSnapshot(sent, snapshot) : { state: 'pending', ref: sent.ref }
}

function judgeSnapshot({ movement, ref, sentAt, clock }: Sent, snapshot: Sighting): Finding {
  const { lock, observedAt } = snapshot
  // A time ahead of our clock is of one that cannot be compared with it.
  const isAfter = snapshot.live || (observedAt >= sentAt && observedAt <= clock())
  if (isAfter && lock?.state === (movement === 'lock' ? 'locked' : 'unlocked')) return { state: 'succeeded', lock, snapshot }
  if (isAfter && lock?.state === 'jammed')
    return { state: 'failed', error: { code: 'jammed', message: 'The bolt jammed on its way.' }, lock, snapshot }
  return { state: 'pending', ref, snapshot }
}

/** A provider that cannot say now may say later. */
const quietly = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ProviderError) return undefined
    throw error
  })
