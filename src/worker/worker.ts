import type { Database } from '../db/db.ts'
import { forgetExpired } from '../http/idempotency.ts'

export type WorkerOptions = {
  database: Database
  clock: () => Date
  /** Told of a run that failed; the next is tried at its time. */
  onError: (error: Error) => void
  /** Milliseconds between two runs. */
  interval?: number
}

export type Worker = { stop(): Promise<void> }

const hour = 3_600_000

/** What runs without a request. Every node may run it: each job is safe to run at the same time as itself. */
export function startWorker({ database, clock, onError, interval = hour }: WorkerOptions): Worker {
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = forgetExpired(database, clock()).then(() => {}, onError)
  }
  const timer = setInterval(run, interval).unref()
  run()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
