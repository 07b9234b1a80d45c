import {
  type Call,
  type LockReading,
  type Movement,
  type MovementOutcome,
  ProviderError,
  type ProviderErrorCode,
} from '../provider.ts'
import { type HubDevice, readingOf } from './device.ts'
import type { Hub } from './hub.ts'
import type { News } from './topics.ts'

const ends: Record<Movement, LockReading['state']> = { lock: 'locked', unlock: 'unlocked' }
const looks = 3

/**
 * Tells the lock to move, once, and looks until the bolt is seen at its end.
 *
 * The hub repeats the old state right after the command, says nothing where the lock refused, and shows a jam like a movement
 * that has not ended. So only a state that is new, or that the lock was asked for afterwards, says anything.
 */
export async function move(
  hub: Hub,
  device: HubDevice,
  movement: Movement,
  { look }: { look: number },
  call: Call,
): Promise<MovementOutcome> {
  const { lock, ieee, name } = device
  if (!lock) throw new ProviderError('unsupported', 'The device is no lock.')
  // A movement that the hub delivers when the device is back, whenever that is, would surprise whoever stands there.
  if (hub.online(ieee) === false) return failed('device_offline', 'Zigbee2MQTT cannot reach the device.')
  if (call.signal.aborted) throw new ProviderError('timeout', 'There was no time left to move the lock.')

  const read = () => readingOf(device, hub.heard(ieee)?.payload ?? {})
  const before = read()?.state
  const isNew = (state: LockReading['state']) => before !== undefined && before !== 'unknown' && before !== state
  let asked = false
  let refusal: string | undefined
  let seen: LockReading | null = null

  /** The outcome, as soon as the news tell it; `look` where the lock has to be asked at once. */
  function notice(news: News): MovementOutcome | 'look' | undefined {
    if (news.kind === 'lost') return unknown
    if (news.kind === 'failure' && news.name === name) {
      if (news.verb === 'get')
        return refusal === undefined ? undefined : failed('device_offline', `Zigbee2MQTT reports: ${refusal}`)
      refusal = news.message.slice(0, 300)
      return 'look'
    }
    const reading = news.kind === 'state' && news.name === name && news.readable ? read() : null
    if (!reading) return undefined
    if (reading.state === ends[movement] && (asked || isNew(reading.state)))
      return { state: 'succeeded', ref: null, lock: reading, confirmed: true }
    if (!asked) return undefined
    seen = reading
    if (reading.state === 'jammed') return failed('jammed', 'The bolt stands between its ends.')
    return refusal === undefined ? undefined : failed('rejected', `Zigbee2MQTT reports: ${refusal}`)
  }

  hub.publish(`${name}/set`, { [lock.property]: lock.values[movement] })
  try {
    for (let turn = 0; turn <= looks; turn++) {
      const noticed = await hub.until(notice, look, call)
      if (noticed && noticed !== 'look') return noticed
      if (turn === looks || !lock.readable) continue
      asked = true
      hub.publish(`${name}/get`, { [lock.property]: '' })
    }
  } catch {
    // The time is over or the connection gone, and the command is sent.
    return unknown
  }
  if (refusal !== undefined) return failed('device_offline', `Zigbee2MQTT reports: ${refusal}`)
  return seen ? failed('rejected', 'The lock did not move.') : unknown
}

const unknown: MovementOutcome = { state: 'pending', ref: null }
const failed = (code: ProviderErrorCode, message: string): MovementOutcome => ({
  state: 'failed',
  ref: null,
  error: { code, message },
})
