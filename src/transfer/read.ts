import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addRecord, type Batch, emptyBatch, fileOf } from './batch.ts'
import { type FileName, fileNames, type Records } from './records.ts'
import type { Report } from './report.ts'

/** What an import takes, because its records are all held in memory: 500,000 whole reservations are half a gigabyte there. */
export const maxLineBytes = 1024 * 1024
export const maxRecords = 500_000
export const maxBytes = 1024 ** 3

/** Reads the files of a directory. Throws an Error where there is no such directory or nothing to read in it. */
export async function readDirectory(directory: string, report: Report, progress?: (line: string) => void): Promise<Batch> {
  const present = new Set(await listFiles(directory, report))
  const batch = emptyBatch()
  const size = { records: 0, bytes: 0 }
  for (const file of fileNames) {
    if (!present.has(fileOf(file))) continue
    const before = size.records
    await readFile(join(directory, fileOf(file)), file, batch, report, size)
    if (size.records > before) progress?.(`Read ${fileOf(file)}: ${size.records - before}`)
  }
  return batch
}

async function listFiles(directory: string, report: Report): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${directory} cannot be read: ${error.code === 'ENOENT' ? 'there is no such directory' : error.message}`)
  })
  const files = entries.filter(({ name }) => name.endsWith('.jsonl'))
  if (files.length === 0) throw new Error(`${directory} has no .jsonl files`)
  const known = new Set(fileNames.map(fileOf))
  for (const entry of files) {
    const problem = known.has(entry.name)
      ? entry.isDirectory() && 'is a directory'
      : `is not a file of an import; these are: ${[...known].join(', ')}`
    if (problem) report.add({ file: entry.name, line: null, field: null, code: 'unknown_file', message: problem })
  }
  return files.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
}

async function readFile(
  path: string,
  file: FileName,
  batch: Batch,
  report: Report,
  size: { records: number; bytes: number },
): Promise<void> {
  const wrong = (line: number, code: string, message: string) => {
    batch.malformed.add(file)
    report.add({ file: fileOf(file), line, field: null, code, message })
  }
  let line = 0
  for await (const bytes of linesOf(path)) {
    line++
    if (bytes === undefined) {
      wrong(line, 'too_long', `is longer than ${maxLineBytes} bytes`)
      continue
    }
    size.bytes += bytes.length
    const parsed = parse(bytes)
    if (parsed === undefined) continue
    if ('code' in parsed) wrong(line, parsed.code, parsed.message)
    else if (++size.records > maxRecords || size.bytes > maxBytes) {
      const message = `an import takes ${maxRecords} records and ${maxBytes} bytes; split it: a later one may refer to an earlier`
      wrong(line, 'too_many', message)
      return
    } else addRecord(batch, report, file, line, parsed.value)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Undefined for a blank line. */
function parse(bytes: Buffer): { value: unknown } | { code: string; message: string } | undefined {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { code: 'encoding', message: 'is not valid UTF-8' }
  }
  if (text.trim() === '') return undefined
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { code: 'json', message: `is not valid JSON: ${(error as Error).message}` }
  }
}

/** The lines of a file as bytes, undefined for one that is too long. Only a line feed ends a line. */
async function* linesOf(path: string): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer[] = []
  let length = 0
  const line = (end: Buffer) => {
    const whole = length + end.length > maxLineBytes ? undefined : rest.length === 0 ? end : Buffer.concat([...rest, end])
    rest = []
    length = 0
    return whole
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield line(chunk.subarray(start, end))
      start = end + 1
    }
    length += chunk.length - start
    // Of a line that is too long already, nothing more need be kept.
    if (length <= maxLineBytes) rest.push(chunk.subarray(start))
  }
  if (length > 0) yield line(Buffer.alloc(0))
}

/** Records in memory, as if each file's were its lines. */
export function readRecords(records: Records, report: Report): Batch {
  const batch = emptyBatch()
  for (const file of fileNames)
    for (const [i, value] of (records[file] ?? []).entries()) addRecord(batch, report, file, i + 1, value)
  return batch
}
