import { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

/** What the X-RateLimit headers say. `reset` is Unix seconds; `retryAfter` whole seconds, at least 1. */
export type Rate = { limit: number; remaining: number; reset: number; retryAfter: number; exceeded: boolean }

export type RateLimit = {
  /** Counts one request of a key, known by its digest. */
  count(digest: string, limit: number): Promise<Rate>
  close(): Promise<void>
}

const window = 60

/**
 * A fixed window of one minute per key. With Redis, nodes count together; while Redis is away each counts alone, which
 * lets through more than the limit rather than refusing everyone.
 */
export function rateLimit(options: {
  redisUrl: string | undefined
  clock: () => Date
  onError: (error: Error) => void
}): RateLimit {
  // The limit differs by key, so the limiter only counts: its own bound is out of reach.
  const shared = { points: Number.MAX_SAFE_INTEGER, duration: window, keyPrefix: 'steward:rate' }
  let limiter: RateLimiterAbstract = new RateLimiterMemory(shared)
  let redis: Redis | undefined
  if (options.redisUrl) {
    redis = new Redis(options.redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: 500,
      connectTimeout: 2000,
    })
    redis.on('error', options.onError)
    limiter = new RateLimiterRedis({ ...shared, storeClient: redis, insuranceLimiter: limiter, rejectIfRedisNotReady: true })
  }
  return {
    async count(digest, limit) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(digest)
      return rateOf(consumedPoints, msBeforeNext, limit, options.clock())
    },
    async close() {
      redis?.disconnect()
    },
  }
}

function rateOf(used: number, msBeforeNext: number, limit: number, now: Date): Rate {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    reset: Math.ceil((now.getTime() + msBeforeNext) / 1000),
    retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    exceeded: used > limit,
  }
}
