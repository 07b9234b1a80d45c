import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig } from './config.ts'

test('without any variable the service listens on this machine alone and keeps its data beside it', () => {
  const { host, port, dataDir, databaseUrl, redisUrl } = readConfig({})
  assert.deepEqual([host, port, dataDir, databaseUrl, redisUrl], ['127.0.0.1', 3000, resolve('.steward'), undefined, undefined])
})

test('an empty variable is one that is not set', () => {
  assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '', HOST: '' }), readConfig({}))
})

test('a value that cannot be is named, with what can be', () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: '3000a' }, /^PORT must be a whole number from 0 to 65535, not "3000a"$/],
    [{ PORT: '-1' }, /^PORT must be/],
    [{ DATABASE_URL: 'localhost:5432' }, /^DATABASE_URL must be an address that begins with postgres:\/\/ or postgresql:\/\/$/],
    [{ REDIS_URL: 'http://127.0.0.1' }, /^REDIS_URL must be/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of fatal, .*, not "loud"$/],
  ]
  for (const [env, message] of cases) assert.throws(() => readConfig(env), { message })
})
