import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'

/** A server in a process of its own, which ends with this one; answers where its API begins. */
export async function start(
  file: string,
  args: string[],
  env: Record<string, string>,
  cleanUp: AsyncDisposableStack,
): Promise<string> {
  const child = fork(join(import.meta.dirname, file), args, { env: { PATH: process.env.PATH, ...env }, execArgv: [] })
  cleanUp.defer(() => stop(child))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code} before it listened`)
  })
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
  return `http://127.0.0.1:${message.port}/api/v1/`
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export async function postgresVersion(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query('show server_version')).rows[0].server_version
  } finally {
    await client.end()
  }
}
