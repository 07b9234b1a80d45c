import type { Static, TObject } from 'typebox'
import { keptText } from './text.ts'

/** Contract, section 2. */
export const deviceTypes = [
  'lock',
  'thermostat',
  'sensor',
  'door_window_sensor',
  'sound_system',
  'hub',
  'light',
  'camera',
  'repeater',
] as const
/** docs/decisions.md, "Devices". */
export const ecosystems = [
  'seam',
  'zigbee',
  'zwave',
  'matter',
  'smartthings',
  'august',
  'yale',
  'schlage',
  'nuki',
  'ttlock',
  'ecobee',
  'minut',
] as const
export const providerNames = ['seam', 'zigbee2mqtt', 'home_assistant', 'simulated', 'manual'] as const
export type ProviderName = (typeof providerNames)[number]

/** What a lock is seen to be. `jammed`: the bolt stands between its ends. `unknown`: the provider answers, but cannot say. */
export const lockStates = ['locked', 'unlocked', 'jammed', 'unknown'] as const
export type LockReading = { state: (typeof lockStates)[number]; doorOpen: boolean | null }

/** A device as its provider sees it. Null is what the provider does not say: it never stands for a value that is known. */
export type DeviceSnapshot = {
  online: boolean | null
  /** Percent, 0 to 100. `reportedAt` is the provider's own time, where it has one. */
  battery: { percent: number; reportedAt: Date | null } | null
  lock: LockReading | null
  climate: { temperatureC: number | null; humidityPercent: number | null } | null
  issues: readonly { code: string; message: string }[]
  /** When this was true of the device, by the provider's time. */
  observedAt: Date
  /** Read from the device for this call; else the provider's cached state. */
  live: boolean
}

export type ProviderDevice = {
  /** The provider's own, lasting id; names change. */
  externalId: string
  name: string | null
  type: (typeof deviceTypes)[number] | null
  ecosystem: (typeof ecosystems)[number] | null
  snapshot: DeviceSnapshot
}

export type Movement = 'lock' | 'unlock'

/**
 * What became of a movement. `confirmed`: `lock` was read from the device after the bolt moved; else it is the provider's
 * word alone. Pending without a `ref`: it was sent and no answer came, so the effect is unknown: look, never send again.
 */
export type MovementOutcome =
  | { state: 'succeeded'; ref: string | null; lock: LockReading | null; confirmed: boolean }
  | { state: 'pending'; ref: string | null }
  | { state: 'failed'; ref: string | null; error: { code: ProviderErrorCode; message: string } }

/**
 * An account at a provider, connected. Every call ends by its `signal` at the latest.
 *
 * A call that throws throws ProviderError, and `move` only where nothing was sent; once anything may have been sent, it answers an outcome.
 */
export type Connection = {
  /** Every device of the account. */
  list(call: Call): AsyncIterable<ProviderDevice>
  /** A device that its provider cannot reach is an answer with `online: false`, not an error. */
  refresh(externalId: string, call: Call): Promise<DeviceSnapshot>
  /** Sends the movement once and waits for its end until the signal; then the outcome is pending. */
  move(externalId: string, movement: Movement, call: Call): Promise<MovementOutcome>
  /** What became of a movement that was left pending with a `ref`. */
  outcome(ref: string, externalId: string, call: Call): Promise<MovementOutcome>
  /** Throws where the account cannot be used: `auth_failed`, `unavailable`, … */
  check(call: Call): Promise<void>
  /** Where the provider tells of changes by itself: what it saw of which device. Answers how to end it. */
  subscribe?(listener: (externalId: string, snapshot: DeviceSnapshot) => void): () => void
  close(): Promise<void>
}
export type Call = { signal: AbortSignal }

/** The accounts of all organizations, connected as they are needed and kept while their settings stand. */
export type Connections = {
  /**
   * The account's connection; undefined where it has none: no settings, or none that
   * this key decrypts (the log says so), or of a provider that nothing can be connected to.
   * The account is looked up each time, so that one that was changed or removed, on whichever node, is never used again.
   */
  of(organizationId: string, accountId: string): Promise<Connection | undefined>
  /**
   * Settings, checked against the provider's own schema, as they are stored: encrypted, or null where there are none.
   * Throws ApiError `provider_not_connectable`, `invalid_settings` or `encryption_key_missing`.
   */
  seal(account: { organizationId: string; accountId: string; provider: ProviderName }, settings: object): Buffer | null
  close(): Promise<void>
}

/** A kind of account. `settings` is what connecting takes, secrets among it: encrypted at rest, never shown, never logged. */
export type Provider<S extends TObject = TObject> = {
  name: ProviderName
  settings: S
  /** Opens nothing by itself: the first call connects. */
  connect(settings: Static<S>, surroundings: Surroundings): Connection
}
export type Surroundings = { clock: () => Date; simulation: SimulationStore }

/** What a simulated device does wrong, so that people can rehearse it. */
export const simulatedFaults = ['none', 'jams', 'refuses', 'loses_answer', 'provider_away'] as const

/** A device of the simulated provider, whole. */
export type SimulatedDevice = {
  type: (typeof deviceTypes)[number] | null
  online: boolean
  /** Null for a device without a battery. */
  batteryPercent: number | null
  /** Null for a device that is no lock. */
  lockState: LockReading['state'] | null
  /** Milliseconds that the bolt takes, and a poll. */
  delayMs: number
  fault: (typeof simulatedFaults)[number]
  /** The last movement: until `endsAt` (ISO 8601) the bolt is on its way. */
  movement: { ref: string; to: 'locked' | 'unlocked'; endsAt: string } | null
}

/** Where the simulated provider keeps its world, so that all nodes and every start see the same one. */
export type SimulationStore = {
  list(): Promise<{ externalId: string; name: string | null; device: SimulatedDevice }[]>
  load(externalId: string): Promise<SimulatedDevice | undefined>
  save(externalId: string, device: SimulatedDevice): Promise<void>
}

export const providerErrorCodes = [
  'device_not_found',
  'device_offline',
  'unsupported',
  'jammed',
  'rejected',
  'auth_failed',
  'rate_limited',
  'unavailable',
  'timeout',
  'bad_response',
] as const
export type ProviderErrorCode = (typeof providerErrorCodes)[number]

/** A failure in words that are the same for every provider. `message` holds no secret. */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode
  /** Milliseconds, where the provider says when to try again. */
  readonly retryAfter: number | undefined

  constructor(code: ProviderErrorCode, message: string, options: { cause?: unknown; retryAfter?: number | undefined } = {}) {
    super(keptText(message, 500), { cause: options.cause })
    this.name = 'ProviderError'
    this.code = code
    this.retryAfter = options.retryAfter
  }
}

/** Whether the provider itself could not be used, of which its device says nothing: the caller hears 503. */
export const isAway = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && ['auth_failed', 'rate_limited', 'unavailable', 'timeout', 'bad_response'].includes(error.code)
