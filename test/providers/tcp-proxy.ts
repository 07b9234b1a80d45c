import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  port: number
  /** Swallows everything, both ways, until it is told otherwise. */
  hang(): void
  leave(): Promise<void>
  back(): Promise<void>
}

/** A proxy on the loopback before host and port, which can leave and hang. */
export async function tcpProxy(host: string, targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let hanging = false
  const server = createServer((near) => {
    const far = connect(targetPort, host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => hanging || to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    hang: () => {
      hanging = true
    },
    leave: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    back: () => {
      hanging = false
      return listen(port)
    },
  }
}
