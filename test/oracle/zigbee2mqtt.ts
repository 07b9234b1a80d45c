import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zigbee2mqttWith } from '../../src/providers/zigbee2mqtt/zigbee2mqtt.ts'
import { contract, type World } from '../providers/contract.ts'
import { surroundings } from '../providers/surroundings.ts'
import { tcpProxy } from '../providers/tcp-proxy.ts'
import { lockIeee, sensorIeee } from '../providers/zigbee-hub.ts'

/** The real Zigbee2MQTT that zigbee2mqtt.sh started. What only a hub that is broken does is left to its double. */
contract({ name: 'the real zigbee2mqtt', start })

const path = (name: string): string => join(process.env.RADIO_DIRECTORY!, name)
const read = (name: string): string => readFileSync(path(name), 'utf8').trim()
const movements = (): number => read('moves').split('\n').filter(Boolean).length

async function start(): Promise<World> {
  writeFileSync(path('fault'), 'none')
  writeFileSync(path('bolt'), 'locked')
  writeFileSync(path('moves'), '')
  const proxy = await tcpProxy('127.0.0.1', Number(process.env.ORACLE_PORT))
  const provider = zigbee2mqttWith({ answer: 4000, look: 1000 })
  const connection = provider.connect({ url: `mqtt://127.0.0.1:${proxy.port}` }, surroundings)
  const fault = (name: string) => () => writeFileSync(path('fault'), name)
  return {
    connection,
    lock: lockIeee,
    noLock: sensorIeee,
    movements,
    bolt: () => read('bolt') as 'locked',
    faults: {
      offline: fault('unreachable'),
      jams: fault('jams'),
      refuses: fault('refuses'),
      slow: fault('silent'),
      away: () => proxy.leave(),
    },
    mend: () => proxy.back(),
    stop: async () => {
      await connection.close()
      await proxy.leave()
    },
  }
}
