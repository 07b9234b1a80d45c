import { type AddressInfo, createServer } from 'node:net'
import { Aedes } from 'aedes'

export type Broker = { host: string; port: number; username?: string; password?: string; stop: () => Promise<void> }

/**
 * The MQTT broker of TEST_MQTT_URL; without it one in this process, so that the tests run on any machine. Both ask for a user name
 * and a password, the former where its URL has them.
 */
export async function broker(): Promise<Broker> {
  const given = process.env.TEST_MQTT_URL
  if (!given) return own()
  const { hostname, port, username, password } = new URL(given)
  const credentials = username ? { username: decodeURIComponent(username), password: decodeURIComponent(password) } : {}
  return { host: hostname, port: Number(port || 1883), ...credentials, stop: async () => {} }
}

async function own(): Promise<Broker> {
  const [username, password] = ['steward', 'open sesame']
  const aedes = await Aedes.createBroker({
    authenticate: (_client, name, secret, done) => {
      if (name === username && secret?.toString() === password) return done(null, true)
      done(Object.assign(new Error('Not authorized'), { returnCode: 4 }), false)
    },
  })
  const server = createServer(aedes.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    await new Promise<void>((resolve) => aedes.close(resolve))
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { host: '127.0.0.1', port, username, password, stop }
}
