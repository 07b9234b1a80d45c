import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after } from 'node:test'
import { testDatabase } from './database.ts'

type Environment = Record<string, string>
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

const main = join(import.meta.dirname, '../src/cli/main.ts')

/** The real command line in a process of its own, which knows nothing but the given environment. */
function run(args: readonly string[], env: Environment): { process: ChildProcess; output: { stdout: string; stderr: string } } {
  const { NODE_COMPILE_CACHE: compiled } = process.env
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...(compiled ? { NODE_COMPILE_CACHE: compiled } : {}), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return { process: child, output }
}

/** `await steward(['keys', 'list', '--organization', slug])`: what it wrote and how it ended. On the shared database unless told otherwise. */
export async function steward(args: readonly string[], env: Environment = { DATABASE_URL: testDatabaseUrl() }): Promise<Ended> {
  const { process, output } = run(args, env)
  return ended(process, output)
}

function ended(process: ChildProcess, output: { stdout: string; stderr: string }): Promise<Ended> {
  return new Promise((resolve) => process.once('close', (code, signal) => resolve({ code, signal, ...output })))
}

// Registered here, for the file: an `after` inside a test would end the service with that test.
const services = new Set<ChildProcess>()
after(() => {
  for (const service of services) service.kill('SIGKILL')
})

export type Service = {
  url: string
  /** The demo key, where one was printed. */
  key: string | undefined
  lines: string[]
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
  /** Asks for the API, with the demo key unless another is given. */
  get(path: string, key?: string): Promise<Response>
}

/** `steward serve` on a free port, once it is ready; it polls no accounts unless told to: those of other tests may be on its database. It is ended with the test file, if the test has not done so. */
export async function startService(env: Environment): Promise<Service> {
  const { process: child, output } = run(['serve'], { PORT: '0', STEWARD_POLL_INTERVAL_SECONDS: '0', ...env })
  services.add(child)
  const end = ended(child, output)
  const lines = await new Promise<string[]>((resolve, reject) => {
    // The last line of a start comes in one piece with the others, or right after them.
    child.stdout!.on('data', () => {
      if (/^Docs .*\n/m.test(output.stdout)) setTimeout(() => resolve(output.stdout.trimEnd().split('\n')), 50)
    })
    void end.then(({ code, stderr }) => reject(new Error(`steward serve ended with ${code}: ${stderr}`)))
  })
  const told = (name: string) =>
    lines
      .find((line) => line.startsWith(name))
      ?.slice(name.length)
      .trim()
  const url = told('API  ')!
  const key = told('API key')
  const get = (path: string, asked = key) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${asked}` } })
  return { url, key, lines, kill: (signal) => child.kill(signal), ended: end, get }
}

/** The shared database as DATABASE_URL names it; the embedded engine's is reached through its socket. */
export function testDatabaseUrl(): string {
  const connection = testDatabase()
  if (typeof connection === 'string') return connection
  const { user, database, host, port } = connection
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
