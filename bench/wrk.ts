import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What wrk measured: requests a second, and latencies in milliseconds. */
export type Load = { requestsPerSecond: number; p50: number; p99: number }

export async function requireWrk(): Promise<void> {
  const error = await run('wrk', ['-v']).then(
    () => undefined,
    (reason: { code?: unknown }) => reason,
  )
  // `wrk -v` tells its version and ends with 1.
  if (error?.code === 'ENOENT') throw new Error('wrk is not installed: apt install wrk, brew install wrk, or github.com/wg/wrk')
}

/**
 * Loads `url` with 16 connections for so many seconds, with the requests that the Lua file `script` makes if one is given.
 * Throws where any answer is an error, for then nothing was measured.
 */
export async function load(url: string, key: string, seconds: number, signal: AbortSignal, script?: string): Promise<Load> {
  const made = script ? ['--script', script] : []
  const args = ['-t1', '-c16', `-d${seconds}s`, '--latency', ...made, '--header', `Authorization: Bearer ${key}`, url]
  const { stdout } = await run('wrk', args, { signal }).finally(() => signal.throwIfAborted())
  const failed = /^\s*(Socket errors|Non-2xx).*$/m.exec(stdout)
  if (failed) throw new Error(`${url}: ${failed[0].trim()}`)
  return {
    requestsPerSecond: Number(found(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(stdout, /^\s+50%\s+(\S+)$/m)),
    p99: milliseconds(found(stdout, /^\s+99%\s+(\S+)$/m)),
  }
}

function found(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)
  if (!match) throw new Error(`wrk said something unexpected:\n${text}`)
  return match[1]!
}

/** wrk writes 870.00us, 1.25ms and 2.10s. */
function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s)$/.exec(text)!
  return Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's']
}
