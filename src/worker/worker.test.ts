import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorker } from './worker.ts'

test('each job runs at once and again after its own interval, and one that fails is told of and tried again', async () => {
  const runs: Record<string, number> = { fast: 0, slow: 0 }
  const told: string[] = []
  const enough = Promise.withResolvers<void>()
  const fast = async () => {
    runs.fast!++
    if (runs.fast === 3) enough.resolve()
    throw new Error(`run ${runs.fast}`)
  }
  const slow = async () => runs.slow!++
  const worker = startWorker({
    jobs: [
      { name: 'fast', interval: 1, run: fast },
      { name: 'slow', interval: 3_600_000, run: slow },
    ],
    onError: (error, { name }) => told.push(`${name}: ${error.message}`),
  })
  const alive = setInterval(() => {}, 1_000)
  await enough.promise
  await worker.stop()
  clearInterval(alive)
  assert.deepEqual(runs, { fast: 3, slow: 1 })
  assert.deepEqual(told, ['fast: run 1', 'fast: run 2', 'fast: run 3'])
})

test('stopping waits for what runs, and nothing runs after it', async () => {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let runs = 0
  const run = async () => {
    runs++
    begun.resolve()
    await release.promise
  }
  const worker = startWorker({ jobs: [{ name: 'long', interval: 0, run }], onError: () => {} })
  await begun.promise
  let stopped = false
  const stopping = worker.stop().then(() => {
    stopped = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(stopped, false)
  release.resolve()
  await stopping
  assert.equal(runs, 1)
})
