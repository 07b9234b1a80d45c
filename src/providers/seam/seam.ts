import { setTimeout as delay } from 'node:timers/promises'
import type { SeamHttp } from '@seamapi/http'
import Type, { type Static } from 'typebox'
import {
  type Call,
  type Connection,
  type LockReading,
  type Movement,
  type MovementOutcome,
  type Provider,
  ProviderError,
} from '../provider.ts'
import { deviceOf, isPhone, snapshotOf } from './device.ts'
import { asProviderError, attemptError, mayHaveMoved } from './errors.ts'

const Settings = Type.Object(
  {
    /** Of one Seam workspace; it begins with `seam_`. */
    apiKey: Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' }),
    endpoint: Type.Optional(Type.String({ maxLength: 500, pattern: '^https?://' })),
  },
  { additionalProperties: false },
)
type Settings = Static<typeof Settings>

/**
 * Seam: some hundred brands of locks, thermostats and sensors behind one cloud.
 *
 * What it answers of a device is its own cached state (`live: false`): it offers no way to ask the device itself.
 */
export const seam: Provider<typeof Settings> = {
  name: 'seam',
  settings: Settings,
  connect: (settings, { clock }) => connect(settings, clock),
}

const ends: Record<Movement, LockReading['state']> = { lock: 'locked', unlock: 'unlocked' }
/** Milliseconds between looks at an action attempt: most end within a second or two. */
const firstPause = 250
const longestPause = 2000

type Attempt = Awaited<ReturnType<SeamHttp['actionAttempts']['get']>>

function connect({ apiKey, endpoint = 'https://connect.getseam.com' }: Settings, clock: () => Date): Connection {
  const closed = new AbortController()

  /** A client whose requests end by the call's signal. Nothing is sent twice by itself. */
  async function client({ signal }: Call): Promise<SeamHttp> {
    if (closed.signal.aborted) throw new ProviderError('unavailable', 'The connection to Seam is closed.')
    if (signal.aborted) throw new ProviderError('timeout', 'There was no time left to ask Seam.')
    const { SeamHttp } = await import('@seamapi/http')
    return new SeamHttp({
      apiKey,
      endpoint,
      timeout: 0,
      waitForActionAttempt: false,
      axiosRetryOptions: { retries: 0 },
      axiosOptions: { signal: AbortSignal.any([signal, closed.signal]) },
    })
  }

  async function read(externalId: string, call: Call) {
    const device = await asked(async () => (await client(call)).devices.get({ device_id: externalId }))
    return snapshotOf(device, clock())
  }

  async function follow(started: Attempt, externalId: string, call: Call): Promise<MovementOutcome> {
    const ref = started.action_attempt_id
    let attempt = started
    try {
      for (let pause = firstPause; attempt.status === 'pending'; pause = Math.min(pause * 2, longestPause)) {
        await delay(pause, undefined, { signal: AbortSignal.any([call.signal, closed.signal]) })
        attempt = await (await client(call)).actionAttempts.get({ action_attempt_id: ref })
      }
    } catch {
      // The movement goes on, whatever became of the question: it is asked again by its ref.
      return { state: 'pending', ref }
    }
    if (attempt.status === 'error') return { state: 'failed', ref, error: attemptError(attempt.error) }
    if (attempt.status !== 'success') return { state: 'pending', ref }
    return succeeded(attempt, externalId, call)
  }

  /** Seam says whether the device itself confirmed; its cached state may lag behind that. */
  async function succeeded(attempt: Attempt, externalId: string, call: Call): Promise<MovementOutcome> {
    const seen = await read(externalId, call).catch(() => undefined)
    const result = attempt.result as { was_confirmed_by_device?: boolean } | null | undefined
    const confirmed = result?.was_confirmed_by_device === true
    const end = ends[attempt.action_type === 'UNLOCK_DOOR' ? 'unlock' : 'lock']
    const lock = confirmed ? { state: end, doorOpen: seen?.lock?.doorOpen ?? null } : (seen?.lock ?? null)
    return { state: 'succeeded', ref: attempt.action_attempt_id, lock, confirmed }
  }

  return {
    async *list(call) {
      const seam = await client(call)
      const pages = seam.createPaginator(seam.devices.list())[Symbol.asyncIterator]()
      for (;;) {
        const page = await asked(() => pages.next())
        if (page.done) return
        for (const device of page.value) if (!isPhone(device)) yield deviceOf(device, clock())
      }
    },
    refresh: read,
    async move(externalId, movement, call) {
      const { locks } = await client(call)
      const device = { device_id: externalId }
      try {
        const attempt = await (movement === 'lock' ? locks.lockDoor(device) : locks.unlockDoor(device))
        if (typeof attempt?.action_attempt_id !== 'string') return { state: 'pending', ref: null }
        return await follow(attempt, externalId, call)
      } catch (error) {
        if (mayHaveMoved(error)) return { state: 'pending', ref: null }
        throw asProviderError(error)
      }
    },
    async outcome(ref, externalId, call) {
      const attempt = await asked(async () => (await client(call)).actionAttempts.get({ action_attempt_id: ref })).catch(
        (error) => {
          if (error instanceof ProviderError && error.code === 'device_not_found') return undefined
          throw error
        },
      )
      return attempt ? follow(attempt, externalId, call) : { state: 'pending', ref: null }
    },
    async check(call) {
      await asked(async () => (await client(call)).devices.list({ limit: 1 }))
    },
    async close() {
      closed.abort()
    },
  }
}

/** What Seam answers, or a ProviderError. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw asProviderError(error)
  }
}
