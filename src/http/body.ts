import type { Issue } from './errors.ts'

/** What came as a body: its JSON value, nothing, or why it cannot be read. Read without throwing: who may ask is decided first. */
export type Body = { value: unknown } | { issue: Issue } | undefined

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function readJson(bytes: Buffer): Body {
  if (bytes.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { issue: { path: 'body', code: 'encoding', message: 'is not valid UTF-8' } }
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { issue: { path: 'body', code: 'json', message: `is not valid JSON: ${(error as Error).message}` } }
  }
}

export const wrongContentType: Body = {
  issue: { path: 'body', code: 'content_type', message: 'must be sent with Content-Type: application/json' },
}
