import { randomUUID } from 'node:crypto'
import { zigbee2mqttWith } from '../../src/providers/zigbee2mqtt/zigbee2mqtt.ts'
import { type Broker, broker } from './broker.ts'
import type { Subject, World } from './contract.ts'
import { surroundings } from './surroundings.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'
import { lockIeee, sensorIeee, type ZigbeeHub, zigbeeHub } from './zigbee-hub.ts'

export type ZigbeeWorld = World & { hub: ZigbeeHub; proxy: TcpProxy; settings: Parameters<typeof provider.connect>[0] }

const provider = zigbee2mqttWith({ answer: 2000, look: 150 })

/** Zigbee2MQTT's double behind a real broker, reached through a proxy. */
export const zigbee2mqttSubject: Subject = { name: 'zigbee2mqtt', start: zigbeeWorld }

export async function zigbeeWorld(): Promise<ZigbeeWorld> {
  const server = await broker()
  const baseTopic = `steward-test-${randomUUID()}`
  const hub = await zigbeeHub(urlOf(server), baseTopic)
  const proxy = await tcpProxy(server.host, server.port)
  const { username, password } = server
  const settings = { url: `mqtt://127.0.0.1:${proxy.port}`, baseTopic, ...(username && password ? { username, password } : {}) }
  const connection = provider.connect(settings, surroundings)
  const secret = 'not the password'
  const wrong = username ? { connection: provider.connect({ ...settings, password: secret }, surroundings), secret } : undefined
  const fault = (name: ZigbeeHub['fault']) => () => {
    hub.fault = name
  }
  return {
    connection,
    hub,
    proxy,
    settings,
    lock: lockIeee,
    noLock: sensorIeee,
    movements: () => hub.commands.length,
    bolt: () => (hub.bolt() === 'not_fully_locked' ? 'jammed' : (hub.bolt() as 'locked')),
    faults: {
      offline: fault('unreachable'),
      jams: fault('jams'),
      refuses: fault('refuses'),
      away: () => proxy.leave(),
      slow: fault('silent'),
      hangs: fault('silent'),
      garbage: fault('garbage'),
    },
    mend: () => (hub.fault ? fault(undefined)() : proxy.back()),
    ...(wrong ? { wrongCredential: wrong } : {}),
    stop: async () => {
      await connection.close()
      await wrong?.connection.close()
      await proxy.leave()
      await hub.stop()
      await server.stop()
    },
  }
}

const urlOf = ({ host, port, username = '', password = '' }: Broker): string =>
  `mqtt://${username ? `${encodeURIComponent(username)}:${encodeURIComponent(password)}@` : ''}${host}:${port}`
