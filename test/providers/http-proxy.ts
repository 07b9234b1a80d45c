import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request: it is passed on, answered in the server's place, or left or broken off before or after it was passed on. */
export type Fate =
  | 'pass'
  | 'hang'
  | 'reset'
  | 'lose_answer'
  | 'garbage'
  | { status: number; headers?: Record<string, string>; body?: unknown }

export type HttpProxy = {
  url: string
  /** The paths of the requests that came, whatever became of them. */
  requests: string[]
  fate(of: (path: string) => Fate): void
  /** Called with what the server answered, before it is handed on. */
  onAnswer(listener: (path: string, body: string) => void): void
  /** Nobody listens any more; `back` undoes it. */
  leave(): Promise<void>
  back(): Promise<void>
}

/** A proxy on the loopback before the server at `target`, through which it can misbehave. */
export async function httpProxy(target: string): Promise<HttpProxy> {
  const requests: string[] = []
  let decide: (path: string) => Fate = () => 'pass'
  let answered: (path: string, body: string) => void = () => {}

  async function handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/'
    requests.push(path.split('?')[0]!)
    const sent = await textOf(incoming)
    const fate = decide(path)
    if (fate === 'hang') return
    if (fate === 'reset') return void incoming.socket.resetAndDestroy()
    if (fate === 'garbage')
      return void answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome to our network</h1>')
    if (typeof fate === 'object')
      return void answer
        .writeHead(fate.status, { 'content-type': fate.body ? 'application/json' : 'text/plain', ...fate.headers })
        .end(fate.body ? JSON.stringify(fate.body) : 'no')
    const { status, headers, body } = await forward(new URL(path, target), incoming, sent)
    answered(path, body)
    if (fate === 'lose_answer') return void incoming.socket.resetAndDestroy()
    answer.writeHead(status, headers).end(body)
  }

  const server = createServer((incoming, answer) => {
    handle(incoming, answer).catch(() => incoming.socket.destroy())
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fate: (of) => {
      decide = of
    },
    onAnswer: (listener) => {
      answered = listener
    },
    leave: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    back: () => listen(port),
  }
}

type Forwarded = { status: number; headers: Record<string, string>; body: string }

function forward(url: URL, { method, headers }: IncomingMessage, body: string): Promise<Forwarded> {
  const { 'transfer-encoding': _, ...kept } = headers
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { ...kept, host: url.host, 'content-length': Buffer.byteLength(body) },
      agent: false,
    })
    sent.on('error', reject)
    sent.on('response', async (received) => {
      const { 'content-type': type = 'application/json' } = received.headers
      resolve({ status: received.statusCode ?? 500, headers: { 'content-type': type }, body: await textOf(received) })
    })
    sent.end(body)
  })
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
