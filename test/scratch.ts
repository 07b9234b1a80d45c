import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A new directory that is gone when the file's tests are over. */
export async function scratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'steward-test-'))
  after(() => rm(path, { recursive: true, force: true }))
  return path
}
