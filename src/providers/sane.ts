import {
  type Connection,
  type DeviceSnapshot,
  deviceTypes,
  ecosystems,
  type LockReading,
  lockStates,
  type MovementOutcome,
  type ProviderDevice,
  providerErrorCodes,
} from './provider.ts'
import { isKeepable, keptText } from './text.ts'

// What a provider says is somebody else's: types promise nothing here. Each field is kept, brought into its bounds or left
// out by itself, so that one that is nonsense costs none of the others.

/** Characters of a name, an external id and a reference: the API's own limit. */
const maxText = 500
const maxIssues = 50
/** Degrees Celsius that a house, a freezer or a sauna may have. */
const temperatures = { min: -100, max: 200 }

/** The connection, whose answers can be stored and shown whatever its provider says. */
export function sane(connection: Connection): Connection {
  return {
    ...connection,
    async *list(call) {
      for await (const device of connection.list(call)) {
        const kept = saneDevice(device)
        if (kept) yield kept
      }
    },
    refresh: async (externalId, call) => saneSnapshot(await connection.refresh(externalId, call)),
    move: async (externalId, movement, call) => saneOutcome(await connection.move(externalId, movement, call)),
    outcome: async (ref, externalId, call) => saneOutcome(await connection.outcome(ref, externalId, call)),
    ...(connection.subscribe && {
      subscribe: (listener) =>
        connection.subscribe!((externalId, snapshot) => {
          if (isKeepable(externalId, maxText)) listener(externalId, saneSnapshot(snapshot))
        }),
    }),
  }
}

/** Undefined where it has no id to be known by. */
export function saneDevice(said: ProviderDevice): ProviderDevice | undefined {
  const { externalId, name, type, ecosystem, snapshot } = objectOf(said)
  if (!isKeepable(externalId, maxText)) return undefined
  return {
    externalId,
    name: (typeof name === 'string' && keptText(name, maxText)) || null,
    type: deviceTypes.find((known) => known === type) ?? null,
    ecosystem: ecosystems.find((known) => known === ecosystem) ?? null,
    snapshot: saneSnapshot(snapshot as DeviceSnapshot),
  }
}

/** Times are left as they are, but for what is none (an invalid Date): who stores them knows what time it is. */
export function saneSnapshot(said: DeviceSnapshot): DeviceSnapshot {
  const { online, battery, lock, climate, issues, observedAt, live } = objectOf(said)
  return {
    online: typeof online === 'boolean' ? online : null,
    battery: batteryOf(objectOf(battery)),
    lock: lockOf(lock),
    climate: climateOf(objectOf(climate)),
    issues: Array.isArray(issues) ? issuesOf(issues) : [],
    observedAt: timeOf(observedAt),
    live: live === true,
  }
}

/** What cannot be read is a movement of unknown effect. */
export function saneOutcome(said: MovementOutcome): MovementOutcome {
  const { state, ref: saidRef, error, lock, confirmed } = objectOf(said)
  const ref = isKeepable(saidRef, maxText) ? saidRef : null
  if (state === 'succeeded') return { state, ref, lock: lockOf(lock), confirmed: confirmed === true }
  if (state !== 'failed') return { state: 'pending', ref }
  const { code, message } = objectOf(error)
  return {
    state,
    ref,
    error: {
      code: providerErrorCodes.find((known) => known === code) ?? 'rejected',
      message: typeof message === 'string' ? keptText(message, maxText) : '',
    },
  }
}

function batteryOf({ percent, reportedAt }: Anything): DeviceSnapshot['battery'] {
  const kept = numberOf(percent, { min: 0, max: 100 })
  if (kept === null) return null
  const at = timeOf(reportedAt)
  return { percent: kept, reportedAt: Number.isNaN(at.getTime()) ? null : at }
}

function lockOf(said: unknown): LockReading | null {
  if (typeof said !== 'object' || said === null) return null
  const { state, doorOpen } = objectOf(said)
  return {
    state: lockStates.find((known) => known === state) ?? 'unknown',
    doorOpen: typeof doorOpen === 'boolean' ? doorOpen : null,
  }
}

function climateOf({ temperatureC, humidityPercent }: Anything): DeviceSnapshot['climate'] {
  const inBounds = Number(temperatureC) >= temperatures.min && Number(temperatureC) <= temperatures.max
  const temperature = inBounds ? numberOf(temperatureC, temperatures) : null
  const humidity = numberOf(humidityPercent, { min: 0, max: 100 })
  return temperature === null && humidity === null ? null : { temperatureC: temperature, humidityPercent: humidity }
}

const issuesOf = (said: readonly unknown[]): DeviceSnapshot['issues'] =>
  said
    .slice(0, maxIssues)
    .map(objectOf)
    .flatMap(({ code, message }) =>
      typeof code === 'string' && code !== ''
        ? [{ code: keptText(code, 100), message: typeof message === 'string' ? keptText(message, maxText) : '' }]
        : [],
    )

/** To two places, within the bounds; null for what is no number. */
function numberOf(said: unknown, { min, max }: { min: number; max: number }): number | null {
  if (typeof said !== 'number' || !Number.isFinite(said)) return null
  return Math.round(Math.min(max, Math.max(min, said)) * 100) / 100 + 0
}

/** An invalid Date where it is none, and for a time before there were such devices. */
const timeOf = (said: unknown): Date =>
  said instanceof Date && said.getTime() >= 0 ? new Date(said.getTime()) : new Date(Number.NaN)

type Anything = Record<string, unknown>
const objectOf = (said: unknown): Anything => (typeof said === 'object' && said !== null ? (said as Anything) : {})
