import { EventEmitter } from 'node:events'
import type { MqttClient } from 'mqtt'
import { type Call, ProviderError } from '../provider.ts'
import type { Heard, HubDevice } from './device.ts'
import { hear, type News, unknown } from './topics.ts'

export type HubSettings = { url: string; username?: string; password?: string; baseTopic: string }

/** What is known of a Zigbee2MQTT from its topics, over one connection that is opened by the first need of it. */
export type Hub = {
  /** Ends when the broker is connected and the hub is known to be there. Throws ProviderError. */
  ready(call: Call): Promise<void>
  devices(): readonly HubDevice[]
  /** Throws device_not_found. */
  device(ieee: string): HubDevice
  heard(ieee: string): Heard | undefined
  /** Null where the hub does not watch it: its setting `availability` is off. */
  online(ieee: string): boolean | null
  /** Sends now or throws: nothing is kept for later. */
  publish(topic: string, payload: unknown): void
  /**
   * The first answer of `probe`, which is asked at all news; undefined where none came within the milliseconds. Throws
   * `timeout` when the signal comes first.
   */
  until<T>(probe: (news: News) => T | undefined, milliseconds: number, call: Call): Promise<T | undefined>
  listen(listener: (news: News) => void): () => void
  close(): Promise<void>
}

const firstBackoff = 1000
const longestBackoff = 60_000
/** Milliseconds in which a broker hands out what it retained: it does so at once. */
const retainedWithin = 3000
const longestWait = 2 ** 30

export function hubOf({ url, baseTopic, ...credentials }: HubSettings, clock: () => Date): Hub {
  const emitter = new EventEmitter<{ news: [News] }>().setMaxListeners(0)
  let opening: Promise<void> | undefined
  let client: MqttClient | undefined
  let link: 'connecting' | 'subscribed' | ProviderError = 'connecting'
  let closed = false
  let known = unknown()

  const tell = (news: News) => emitter.emit('news', news)

  async function open(): Promise<void> {
    const { connect } = await import('mqtt')
    if (closed) return
    // Only what is published while connected is sent, and once: a movement must never wait in a queue.
    const options = {
      ...credentials,
      queueQoSZero: false,
      resubscribe: false,
      reconnectPeriod: firstBackoff,
      connectTimeout: 10_000,
    }
    const opened = connect(url, options)
    client = opened
    opened.on('connect', () => {
      // What was heard before the gap is not what is.
      known = unknown()
      opened.subscribe(`${baseTopic}/#`, (error) => {
        if (error) return lose(new ProviderError('unavailable', 'The MQTT broker refused the subscription.'))
        link = 'subscribed'
        opened.options.reconnectPeriod = firstBackoff
        tell({ kind: 'link' })
      })
    })
    opened.on('message', (topic, bytes, { retain }) => {
      const news =
        topic.startsWith(`${baseTopic}/`) && hear(known, topic.slice(baseTopic.length + 1), bytes, { retain, now: clock() })
      if (news) tell(news)
    })
    let reason: ProviderError | undefined
    opened.on('error', (error: Error & { code?: number | string }) => {
      if (isRefusal(error)) {
        // The library does not try again with what was refused: the next call begins anew.
        client = undefined
        opening = undefined
        opened.end(true)
        return lose(new ProviderError('auth_failed', 'The MQTT broker refused the user name or the password.'))
      }
      reason = new ProviderError('unavailable', `The MQTT broker cannot be reached (${error.code ?? error.name}).`)
      opened.stream.destroy()
    })
    opened.on('reconnect', () => {
      link = 'connecting'
    })
    // Each try ends with this, whatever ended it; only then may another begin.
    opened.on('close', () => {
      opened.options.reconnectPeriod = Math.min((opened.options.reconnectPeriod ?? firstBackoff) * 2, longestBackoff)
      if (client === opened) lose(reason ?? new ProviderError('unavailable', 'The connection to the MQTT broker was lost.'))
      reason = undefined
    })
  }

  function lose(reason: ProviderError): void {
    link = reason
    tell({ kind: 'lost' })
  }

  /** What keeps the hub from being used; undefined while that is not known yet, null where nothing does. */
  function obstacle(): ProviderError | null | undefined {
    if (link instanceof ProviderError) return link
    if (link === 'connecting') return undefined
    if (known.online === false) return new ProviderError('unavailable', 'Zigbee2MQTT is offline.')
    if (known.devices === 'unreadable')
      return new ProviderError('bad_response', 'The list of devices of Zigbee2MQTT cannot be read.')
    return known.online === undefined || known.devices === undefined ? undefined : null
  }

  function until<T>(probe: (news: News) => T | undefined, milliseconds: number, { signal }: Call): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        emitter.off('news', onNews)
        signal.removeEventListener('abort', onAbort)
        clearTimeout(timer)
        settle()
      }
      const onNews = (news: News) => {
        const answer = probe(news)
        if (answer !== undefined) end(() => resolve(answer))
      }
      const onAbort = () => end(() => reject(new ProviderError('timeout', 'Zigbee2MQTT did not answer in time.')))
      const timer = setTimeout(() => end(() => resolve(undefined)), milliseconds)
      emitter.on('news', onNews)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
    })
  }

  const devices = (): readonly HubDevice[] => (known.devices instanceof Map ? [...known.devices.values()] : [])
  const named = (ieee: string): string => devices().find((device) => device.ieee === ieee)?.name ?? ''

  return {
    async ready(call) {
      if (closed) throw new ProviderError('unavailable', 'The connection to Zigbee2MQTT is closed.')
      if (call.signal.aborted) throw new ProviderError('timeout', 'There was no time left to ask Zigbee2MQTT.')
      if (!opening) {
        link = 'connecting'
        opening = open()
      } else if (link instanceof ProviderError) {
        // Waiting for its next try: whoever asks is worth one now.
        link = 'connecting'
        client?.reconnect()
      }
      await opening.catch((error: Error) => {
        opening = undefined
        throw new ProviderError('unavailable', `The MQTT broker cannot be reached (${error.name}).`)
      })
      for (;;) {
        const found = obstacle()
        if (found) throw found
        if (found === null) return
        const last = link
        const wait = last === 'subscribed' ? retainedWithin : longestWait
        const changed = await until(() => obstacle() !== undefined || link !== last || undefined, wait, call)
        if (!changed) throw new ProviderError('unavailable', `No Zigbee2MQTT was heard below the topic "${baseTopic}".`)
      }
    },
    devices,
    device(ieee) {
      const device = devices().find((one) => one.ieee === ieee)
      if (!device) throw new ProviderError('device_not_found', 'Zigbee2MQTT knows no such device.')
      return device
    },
    heard: (ieee) => known.states.get(named(ieee)),
    online: (ieee) => known.available.get(named(ieee)) ?? null,
    publish(topic, payload) {
      if (!client?.connected) throw new ProviderError('unavailable', 'The connection to the MQTT broker was lost.')
      client.publish(`${baseTopic}/${topic}`, JSON.stringify(payload))
    },
    until,
    listen(listener) {
      emitter.on('news', listener)
      return () => emitter.off('news', listener)
    },
    async close() {
      closed = true
      await opening?.catch(() => {})
      const last = client
      client = undefined
      lose(new ProviderError('unavailable', 'The connection to Zigbee2MQTT is closed.'))
      await last?.endAsync(true)
    },
  }
}

/** The return codes 4 and 5 of MQTT 3.1.1, section 3.2.2.3. */
const isRefusal = ({ code }: { code?: number | string }): boolean => code === 4 || code === 5
