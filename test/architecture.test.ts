import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { endpoints } from '../src/api/endpoints.ts'
import { errors } from '../src/http/errors.ts'
import { permissions } from '../src/http/permissions.ts'

const root = join(import.meta.dirname, '..')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, 'src', path), 'utf8') }))
const shipped = sources.filter(({ path }) => !path.endsWith('.test.ts'))

/** Who may import whom: a folder, and the folders it reaches. */
const reaches: Record<string, string[]> = {
  db: [],
  providers: [],
  http: ['db', 'providers/provider.ts'],
  api: ['db', 'http', 'providers/provider.ts', 'providers/sane.ts'],
  transfer: ['db', 'http', 'api', 'providers/provider.ts'],
  demo: ['db', 'http', 'api', 'transfer', 'providers/provider.ts'],
  worker: ['db', 'http', 'api', 'providers'],
}

test('imports point one way', () => {
  const wrong = shipped.flatMap(({ path, text }) => {
    const folder = path.split('/')[0]!
    const allowed = reaches[folder]
    return allowed
      ? importsOf(path, text)
          .filter((target) => !target.startsWith(`${folder}/`) && !allowed.some((one) => target.startsWith(one)))
          .map((target) => `${path} imports ${target}`)
      : []
  })
  assert.deepEqual(wrong, [])
})

test("a noun imports another noun's noun file, never its verbs", () => {
  const wrong = shipped
    .filter(({ path }) => path.startsWith('api/') && path !== 'api/endpoints.ts')
    .flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter((target) => target.startsWith('api/') && dirname(target) !== dirname(path) && isVerb(target))
        .map((target) => `${path} imports ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('the environment is read in config.ts alone', () => {
  assert.deepEqual(
    shipped.filter(({ path, text }) => path !== 'config.ts' && text.includes('process.env')).map(({ path }) => path),
    [],
  )
})

test('files stay under 300 lines', () => {
  assert.deepEqual(
    sources.filter(({ text }) => text.split('\n').length > 300).map(({ path }) => path),
    [],
  )
})

test('the only classes are errors, and no drawer for odds and ends', () => {
  assert.deepEqual(
    shipped.filter(({ text }) => /^\s*(export )?(abstract )?class /m.test(text)).map(({ path }) => path),
    ['http/errors.ts', 'providers/provider.ts'],
  )
  assert.deepEqual(
    sources.filter(({ path }) => /(^|\/)(utils?|helpers?|common|index)(\/|\.ts$)/.test(path)).map(({ path }) => path),
    [],
  )
})

test('every endpoint stands in a file of its own with a test beside it', () => {
  const files = shipped.filter(({ path, text }) => path.startsWith('api/') && /\b(read|write|command)\(\{/.test(text))
  assert.equal(files.length, endpoints.length)
  const paths = new Set(sources.map(({ path }) => path))
  assert.deepEqual(
    files.filter(({ path }) => !paths.has(path.replace('.ts', '.test.ts'))).map(({ path }) => path),
    [],
  )
})

test('operation ids and routes are unique, and permissions are known', () => {
  assert.equal(new Set(endpoints.map(({ id }) => id)).size, endpoints.length)
  assert.equal(new Set(endpoints.map(({ route }) => route)).size, endpoints.length)
  for (const { permission } of endpoints) assert.ok(permission === null || permissions.includes(permission))
})

test('whatever writes what costs are summed up from forgets what was kept of them', () => {
  const writers = shipped.filter(
    ({ path, text }) => path.startsWith('api/') && /\b(insert into|update|delete from) (time_entries|cost_items)\b/.test(text),
  )
  assert.ok(writers.length >= 6)
  // Who clocks in begins something on a day that is not over.
  const careless = writers.filter(({ path, text }) => !text.includes('forgetKept(') && path !== 'api/time-entries/clock-in.ts')
  assert.deepEqual(
    careless.map(({ path }) => path),
    [],
  )
})

test('every error code is thrown somewhere', () => {
  const text = shipped
    .filter(({ path }) => path !== 'http/errors.ts')
    .map((source) => source.text)
    .join('\n')
  assert.deepEqual(
    Object.keys(errors).filter((code) => code !== 'invalid_request' && !text.includes(`'${code}'`)),
    [],
  )
})

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target]) =>
    relative('.', join(dirname(path), target!)).replaceAll('\\', '/'),
  )
}

/** A verb file is one that makes an endpoint. */
function isVerb(target: string): boolean {
  return /\b(read|write|command)\(\{/.test(sources.find(({ path }) => path === target)?.text ?? '')
}
