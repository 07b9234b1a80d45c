import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Connection } from '../src/db/embedded.ts'

/** The migrated database that all test files of a run share, as test/global-setup.ts has made it. */
export function testDatabase(): Connection | string {
  const value = process.env.STEWARD_TEST_DATABASE
  if (!value)
    throw new Error(
      'This test needs a database: run it with "npm test", or with node --test --test-global-setup=test/global-setup.ts',
    )
  return value.startsWith('{') ? JSON.parse(value) : value
}

/** An empty database with a name of its own on the PostgreSQL server that `serverUrl` names. */
export async function createDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `steward_test_${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, `create database ${name} template template0 encoding 'UTF8'`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) }
}

async function onServer(connectionString: string, statement: string) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
