import { resolve } from 'node:path'

/** Everything that can be set from outside, read once. This is the only file that reads the environment. */
export type Config = Readonly<{
  host: string
  port: number
  /** Where the embedded database lives. Unused when `databaseUrl` is given. */
  dataDir: string
  databaseUrl: string | undefined
  redisUrl: string | undefined
  /** Connections to PostgreSQL per process. */
  poolSize: number
  /** Requests a minute for a key without a limit of its own. */
  rateLimit: number
  /** Requests in work at once before further ones are shed with 503. */
  maxInFlight: number
  /** Bytes. */
  bodyLimit: number
  /** Milliseconds a request waits for a connection, and a statement for its answer. */
  connectTimeout: number
  statementTimeout: number
  /** Milliseconds that requests in work may take to finish once the service is told to stop. */
  stopTimeout: number
  /** Milliseconds that a request waits for a device's provider. */
  providerTimeout: number
  /** Percent; at or below it a battery is low. */
  lowBattery: number
  /** Milliseconds after which a device of which nothing was seen is stale. */
  staleAfter: number
  /** Milliseconds between two polls of an account at a provider; 0 for none. */
  pollInterval: number
  /** 32 bytes that the settings of integrations are encrypted under. */
  encryptionKey: Buffer | undefined
  logLevel: string
}>

type Environment = Record<string, string | undefined>

/** Throws an Error that names the variable and what it takes. */
export function readConfig(env: Environment = process.env): Config {
  return Object.freeze({
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 3000, 0, 65_535),
    dataDir: resolve(env.STEWARD_DATA_DIR || '.steward'),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: url(env, 'REDIS_URL', ['redis:', 'rediss:']),
    poolSize: integer(env, 'STEWARD_POOL_SIZE', 10, 1, 1000),
    rateLimit: integer(env, 'STEWARD_RATE_LIMIT', 1000, 1, 1_000_000_000),
    maxInFlight: integer(env, 'STEWARD_MAX_IN_FLIGHT', 1000, 1, 1_000_000),
    bodyLimit: integer(env, 'STEWARD_BODY_LIMIT', 1024 * 1024, 1024, 1024 ** 3),
    connectTimeout: integer(env, 'STEWARD_CONNECT_TIMEOUT_MS', 5_000, 1, 600_000),
    statementTimeout: integer(env, 'STEWARD_STATEMENT_TIMEOUT_MS', 15_000, 1, 600_000),
    stopTimeout: integer(env, 'STEWARD_STOP_TIMEOUT_MS', 10_000, 0, 600_000),
    providerTimeout: integer(env, 'STEWARD_PROVIDER_TIMEOUT_MS', 10_000, 1, 600_000),
    lowBattery: integer(env, 'STEWARD_LOW_BATTERY_PERCENT', 20, 0, 100),
    staleAfter: integer(env, 'STEWARD_STALE_AFTER_MINUTES', 1440, 1, 525_600) * 60_000,
    pollInterval: integer(env, 'STEWARD_POLL_INTERVAL_SECONDS', 300, 0, 86_400) * 1000,
    encryptionKey: key(env, 'STEWARD_ENCRYPTION_KEY'),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  })
}

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`)
  return value
}

function url(env: Environment, name: string, protocols: string[]): string | undefined {
  const text = env[name]
  if (!text) return undefined
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
    throw new Error(`${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
  return text
}

function key(env: Environment, name: string): Buffer | undefined {
  const text = env[name]
  if (!text) return undefined
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32) throw new Error(`${name} must be 32 bytes in base64; "openssl rand -base64 32" makes such a key`)
  return bytes
}

function oneOf(env: Environment, name: string, fallback: string, values: string[]): string {
  const text = env[name]
  if (!text) return fallback
  if (!values.includes(text)) throw new Error(`${name} must be one of ${values.join(', ')}, not "${text}"`)
  return text
}
