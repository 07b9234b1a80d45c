import { createFake } from '@seamapi/fake-seam-connect'
import { seam } from '../../src/providers/seam/seam.ts'
import type { Subject, World } from './contract.ts'
import { type Fate, type HttpProxy, httpProxy } from './http-proxy.ts'
import { surroundings } from './surroundings.ts'

export type SeamWorld = World & { proxy: HttpProxy; fake: Awaited<ReturnType<typeof createFake>>; movesMeet(fate: Fate): void }

/** Seam's own fake of its service, reached through a proxy that can fail. */
export const seamSubject: Subject = { name: 'seam', start: seamWorld }

const lock = 'august_device_1'
const isMove = (path: string): boolean => /^\/locks\/(un)?lock_door/.test(path)

export async function seamWorld(): Promise<SeamWorld> {
  const fake = await createFake()
  await fake.seed()
  await fake.startServer()
  // It listens on all interfaces and tells a name; only the loopback is used.
  const proxy = await httpProxy(`http://127.0.0.1:${new URL(fake.serverUrl!).port}`)
  const connection = seam.connect({ apiKey: 'seam_apikey1_token', endpoint: proxy.url }, surroundings)
  const secret = 'seam_nobody_has_this_key'
  const wrong = seam.connect({ apiKey: secret, endpoint: proxy.url }, surroundings)
  let left = false
  const all = (fate: Fate) => () => proxy.fate(() => fate)

  /** What the fake ends well at once ends otherwise. */
  const attemptsEnd = (end: { status: 'error'; error: { type: string; message: string } } | { status: 'pending' }) => () =>
    proxy.onAnswer((path, body) => {
      if (!isMove(path)) return
      const { action_attempt_id } = (JSON.parse(body) as { action_attempt: { action_attempt_id: string } }).action_attempt
      fake.database.updateActionAttempt({ action_attempt_id, ...end } as never)
      if (end.status === 'error') fake.database.updateDevice({ device_id: lock, properties: { locked: true } } as never)
    })
  const ending = (type: string, message: string) => attemptsEnd({ status: 'error', error: { type, message } })

  return {
    connection,
    proxy,
    fake,
    movesMeet: (fate) => proxy.fate((path) => (isMove(path) ? fate : 'pass')),
    lock,
    movements: () => proxy.requests.filter(isMove).length,
    bolt: () => {
      const { properties } = fake.database.devices.find(({ device_id }) => device_id === lock)!
      return (properties as { locked?: boolean }).locked ? 'locked' : 'unlocked'
    },
    faults: {
      offline: () => {
        fake.database.updateDevice({ device_id: lock, properties: { online: false } } as never)
        ending('device_disconnected', 'The device is offline.')()
      },
      jams: ending('lock_jammed', 'The lock is jammed.'),
      refuses: ending('failed_to_lock', 'The lock did not accept the command.'),
      away: async () => {
        left = true
        await proxy.leave()
      },
      slow: all('hang'),
      hangs: all('hang'),
      garbage: all('garbage'),
      loses_answer: () => proxy.fate((path) => (isMove(path) ? 'lose_answer' : 'pass')),
      stays_pending: attemptsEnd({ status: 'pending' }),
    },
    mend: async () => {
      proxy.fate(() => 'pass')
      proxy.onAnswer(() => {})
      for (const { action_attempt_id } of fake.database.action_attempts as { action_attempt_id: string }[])
        fake.database.updateActionAttempt({ action_attempt_id, status: 'success' } as never)
      if (left) await proxy.back()
      left = false
    },
    wrongCredential: { connection: wrong, secret },
    stop: async () => {
      await connection.close()
      await wrong.close()
      if (!left) await proxy.leave()
      await fake.stopServer()
      fake.server!.server.closeAllConnections()
    },
  }
}
