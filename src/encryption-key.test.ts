import assert from 'node:assert/strict'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratch } from '../test/scratch.ts'
import { keptEncryptionKey } from './encryption-key.ts'

test('the key is made once, for whoever asks at the same time, and only its user may read it', async () => {
  const directory = await scratch()
  const keys = await Promise.all(Array.from({ length: 8 }, () => keptEncryptionKey(directory)))
  for (const key of [...keys, await keptEncryptionKey(directory)]) assert.deepEqual(key, keys[0])
  assert.equal(keys[0]!.length, 32)
  assert.deepEqual(await readdir(directory), ['encryption-key'])
  assert.equal((await stat(join(directory, 'encryption-key'))).mode & 0o777, 0o600)
})

test('a file that holds no key is left alone, and the error says what to do', async () => {
  const directory = await scratch()
  await writeFile(join(directory, 'encryption-key'), 'oops')
  await assert.rejects(keptEncryptionKey(directory), /encryption-key holds no key .* restore it from a backup/)
})
