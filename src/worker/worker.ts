export type Job = {
  name: string
  /** Milliseconds between the end of a run and the next. */
  interval: number
  run: () => Promise<unknown>
  /** Ends what it left under way, when the worker stops. */
  stop?: () => Promise<void>
}

export type WorkerOptions = {
  jobs: readonly Job[]
  /** Told of a run that failed; the next is tried at its time. */
  onError: (error: Error, job: Job) => void
}

export type Worker = { stop(): Promise<void> }

/** What runs without a request. Every node may run it: each job is safe to run at the same time as itself. */
export function startWorker({ jobs, onError }: WorkerOptions): Worker {
  let isStopped = false
  const timers = new Map<Job, NodeJS.Timeout>()
  const running = new Map<Job, Promise<void>>()
  const run = (job: Job): void => {
    const done = job
      .run()
      .then(
        () => {},
        (error: Error) => onError(error, job),
      )
      .then(() => {
        if (!isStopped) timers.set(job, setTimeout(() => run(job), job.interval).unref())
      })
    running.set(job, done)
  }
  jobs.forEach(run)
  return {
    async stop() {
      isStopped = true
      timers.forEach(clearTimeout)
      await Promise.all(running.values())
      const ends = await Promise.allSettled(jobs.map((job) => job.stop?.()))
      for (const [i, end] of ends.entries()) if (end.status === 'rejected') onError(end.reason, jobs[i]!)
    },
  }
}
