import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The key of an embedded database without STEWARD_ENCRYPTION_KEY: made once, kept in the file `encryption-key` of the data
 * directory, which only its user may read. Whoever comes second, server or command, takes the key of the first. Throws an
 * Error where the file holds no key: another one in its place would make every stored setting unreadable.
 */
export async function keptEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'encryption-key')
  return (await readKey(file)) ?? (await makeKey(file))
}

async function makeKey(file: string): Promise<Buffer> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // A link appears whole or not at all, and never in the place of another.
    await link(draft, file)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return (await readKey(file))!
}

async function readKey(file: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
    if (key.length === 32) return key
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
  throw new Error(
    `${file} holds no key of 32 bytes in base64; restore it from a backup, or remove it and send the settings of every integration again`,
  )
}
