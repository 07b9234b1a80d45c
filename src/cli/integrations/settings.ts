import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Provider } from '../../providers/provider.ts'
import { didYouMean } from '../nearest.ts'

export type Sources = { setting: readonly string[]; settingsFile?: string | undefined }

/**
 * The settings that a command was given: those of the file (`-` is standard input), which holds one JSON object, and over
 * them each `name=value`. What the provider takes as a number or as true or false is made that. Throws an Error that never
 * repeats a value.
 */
export async function readSettings(provider: Provider, { setting, settingsFile }: Sources): Promise<Record<string, unknown>> {
  const given = settingsFile === undefined ? {} : await readObject(settingsFile)
  const known = Object.keys(provider.settings.properties)
  for (const [place, pair] of setting.entries()) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || value === undefined) throw new Error(`--setting takes name=value; number ${place + 1} has no "="`)
    given[name] = typed(value, provider.settings.properties[name])
  }
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw new Error(`${provider.name} takes no setting "${name}"${didYouMean(name, known)}`)
  return given
}

function typed(value: string, schema: { type?: string } | undefined): unknown {
  const type = schema?.type
  if ((type === 'number' || type === 'integer') && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  const name = file === '-' ? 'standard input' : file
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    // The parser's own words would repeat a part of the secret.
    throw new Error(`${name} holds no JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} holds no JSON object`)
  return value as Record<string, unknown>
}
