import type { AlertKind } from './device-alert.ts'

/** When something is amiss. `lowBattery` in percent, `staleAfter` in milliseconds. */
export type AlertLimits = { readonly lowBattery: number; readonly staleAfter: number }

/** What is known of a device, as its row says. */
export type DeviceFacts = {
  online: boolean | null
  batteryLevel: number | null
  /** `devices.device_state`, in whatever form it was imported. */
  deviceState: unknown
  createdAt: Date
  isArchived: boolean
  /** It belongs to an account at a provider. */
  isOfAccount: boolean
  /** Somebody polls the account, with settings that can be used. */
  isPolled: boolean
}

/** A kind of alert that holds, and what the provider says of it. */
export type Condition = { kind: AlertKind; message: string | null }

/** Percentage points above the limit that a battery must reach until it is low no more: readings go up and down with the weather. */
export const batteryMargin = 5

/** What is amiss with a device at `now`. `open` are the kinds whose alert is open: a low battery stays low until it is well above the limit. */
export function conditionsOf(
  facts: DeviceFacts,
  now: Date,
  { lowBattery, staleAfter }: AlertLimits,
  open: ReadonlySet<AlertKind>,
): Condition[] {
  if (facts.isArchived || !facts.isOfAccount) return []
  const { lock, issues, observedAt } = stateOf(facts.deviceState)
  const conditions: Condition[] = []
  if (facts.online === false) conditions.push({ kind: 'offline', message: null })

  const told = issues.find(({ code }) => code === 'battery_low' || code === 'low_battery')
  if (told || isLow(facts.batteryLevel, lowBattery, open.has('low_battery')))
    conditions.push({ kind: 'low_battery', message: told?.message ?? null })

  const jam = issues.find(({ code }) => code === 'jammed')
  if (jam || lock === 'jammed') conditions.push({ kind: 'jammed', message: jam?.message ?? null })

  // What is known to be offline is not expected to be seen.
  const age = now.getTime() - (observedAt ?? facts.createdAt).getTime()
  if (facts.isPolled && facts.online !== false && age >= staleAfter) conditions.push({ kind: 'stale', message: null })
  return conditions
}

function isLow(level: number | null, limit: number, wasLow: boolean): boolean {
  if (level === null) return false
  return level <= limit || (wasLow && level < Math.min(limit + batteryMargin, 100))
}

type Read = { lock: unknown; issues: readonly { code: string; message: string | null }[]; observedAt: Date | undefined }

/** What can be read of a state: an import takes it in any form. */
export function stateOf(deviceState: unknown): Read {
  const { lock, issues, observedAt } = isObject(deviceState) ? deviceState : {}
  const at = typeof observedAt === 'string' ? new Date(observedAt) : undefined
  return {
    lock: isObject(lock) ? lock.state : undefined,
    issues: Array.isArray(issues) ? issues.filter(isObject).map(issueOf) : [],
    observedAt: at && !Number.isNaN(at.getTime()) ? at : undefined,
  }
}

const issueOf = ({ code, message }: Record<string, unknown>) => ({
  code: String(code),
  message: typeof message === 'string' && message !== '' ? message.slice(0, 500) : null,
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
