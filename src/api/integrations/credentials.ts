import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Whose settings these are. It is authenticated with them, so that a row's settings cannot be put into another's. */
export type Owner = { organizationId: string; accountId: string }

const version = 1
const [ivBytes, tagBytes] = [12, 16]

/** AES-256-GCM (NIST SP 800-38D) of the settings' JSON: version, 12 bytes of nonce, 16 of tag, then the ciphertext. `secret` has 32 bytes. */
export function encrypt(settings: object, owner: Owner, secret: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(about(owner))
  const text = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), text])
}

/** Throws where the secret is another than the one it was encrypted under, or the bytes were changed. */
export function decrypt(sealed: Buffer, owner: Owner, secret: Buffer): Record<string, unknown> {
  if (sealed[0] !== version) throw new Error('The settings of an integration were written by another version of Steward.')
  const iv = sealed.subarray(1, 1 + ivBytes)
  const tag = sealed.subarray(1 + ivBytes, 1 + ivBytes + tagBytes)
  const decipher = createDecipheriv('aes-256-gcm', secret, iv).setAAD(about(owner)).setAuthTag(tag)
  const text = Buffer.concat([decipher.update(sealed.subarray(1 + ivBytes + tagBytes)), decipher.final()])
  return JSON.parse(text.toString('utf8'))
}

const about = ({ organizationId, accountId }: Owner): Buffer => Buffer.from(`${organizationId}/${accountId}`)
