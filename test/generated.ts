import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { endpoints } from '../src/api/endpoints.ts'
import { type ErrorCode, errors, errorTypes, type Status } from '../src/http/errors.ts'
import { openapiDocument } from '../src/http/openapi.ts'
import { importPage, schemaFiles } from '../src/transfer/json-schema.ts'

const root = join(import.meta.dirname, '..')

/** The committed files that are made from the source: `--write` makes them, `--check` fails where one is out of date. */
const files: Record<string, () => string> = {
  'openapi.json': () => `${JSON.stringify(openapiDocument(endpoints), null, 2)}\n`,
  'docs/errors.md': errorsPage,
  'docs/permissions.md': permissionsPage,
  'docs/import.md': () => importPage(read(join(root, 'docs/import.md')) ?? ''),
  ...Object.fromEntries(Object.entries(schemaFiles()).map(([path, text]) => [path, () => text])),
}

function errorsPage(): string {
  const groups = Object.entries(errorTypes).map(([status, type]) => {
    const codes = (Object.keys(errors) as ErrorCode[]).filter((code) => errors[code][0] === (Number(status) as Status))
    const rows = codes.map((code) => `| \`${code}\` | ${errors[code][1]} |`)
    return `## ${status} \`${type}\`\n\n| code | meaning |\n|---|---|\n${rows.length > 0 ? rows.join('\n') : '| – | No operation answers this yet. |'}\n`
  })
  return `# Errors

Every error answers \`{ "error": { "type", "code", "message", "details"? }, "meta": { "requestId" } }\` with one of nine statuses.
\`type\` follows from the status; \`code\` is what a program should look at; \`message\` is for people. All carry
\`X-Request-Id\`; all but 401 the \`X-RateLimit-…\` headers; 429 and 503 also \`Retry-After\`. A 400 names every broken
constraint at once in \`details.issues\`: \`{ path, code, message }\`.

${groups.join('\n')}`
}

function permissionsPage(): string {
  const rows = endpoints.map(
    ({ route, permission, extension }) =>
      `| \`${route}\` | ${permission ? `\`${permission}\`` : 'any key'} | ${extension ? 'Steward' : 'contract'} |`,
  )
  return `# Permissions

What a key may do is the key's permissions ∩ the permissions of the member it acts as.

| operation | permission | from |
|---|---|---|
${rows.join('\n')}
`
}

const write = process.argv.includes('--write')
const stale: string[] = []
for (const [path, make] of Object.entries(files)) {
  const file = join(root, path)
  const text = make()
  if (write) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } else if (read(file) !== text) stale.push(path)
}
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run: npm run fix`)
  process.exitCode = 1
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
