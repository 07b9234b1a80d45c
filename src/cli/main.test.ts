import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steward } from '../../test/command.ts'

const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }

test('called wrongly, it says how and ends with 2', async () => {
  const cases: [string[], RegExp][] = [
    [['nope'], /unknown command 'nope'/],
    [['keys'], /Usage: steward keys/],
    [['keys', 'create', '--member', 'a@b.example'], /required option '--organization <slug>' not specified/],
    [['organizations', 'list', '--organisation', 'casa'], /unknown option '--organisation'/],
    [['keys', 'create', '--organization', 'a', '--member', 'b', '--rate-limit', '0'], /whole number from 1/],
    [['keys', 'create', '--organization', 'a', '--member', 'b', '--expires', '2d'], /30d, 90d, 1y, never/],
    [[], /Usage: steward/],
  ]
  const check = async ([args, complaint]: (typeof cases)[number]) => {
    const { code, stdout, stderr } = await steward(args, nowhere)
    assert.match(stderr, complaint)
    assert.equal(code, 2, args.join(' '))
    assert.equal(stdout, '')
  }
  await Promise.all(cases.map(check))
})

test('every command explains itself', async () => {
  const commands = [
    'serve',
    'migrate',
    'demo',
    'organizations create',
    'organizations list',
    'keys create',
    'keys list',
    'keys revoke',
    'import',
    'export',
    'openapi',
  ]
  const check = async (command: string) => {
    const { code, stdout } = await steward([...command.split(' '), '--help'], nowhere)
    assert.equal(code, 0)
    assert.ok(stdout.startsWith(`Usage: steward ${command}`), stdout)
  }
  await Promise.all(commands.map(check))
})

test('a failure is one line on standard error and ends with 1', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [nowhere, /^steward: the database cannot be reached: .*127\.0\.0\.1:1\n$/],
    [
      { DATABASE_URL: 'mysql://x' },
      /^steward: DATABASE_URL must be an address that begins with postgres:\/\/ or postgresql:\/\/\n$/,
    ],
    [{ PORT: '70000' }, /^steward: PORT must be a whole number from 0 to 65535, not "70000"\n$/],
  ]
  for (const [env, reason] of cases) {
    const { code, stdout, stderr } = await steward(['migrate'], env)
    assert.match(stderr, reason)
    assert.equal(code, 1)
    assert.equal(stdout, '')
  }
})

test('the OpenAPI document is printed', async () => {
  const { code, stdout } = await steward(['openapi'], {})
  assert.equal(code, 0)
  assert.match(JSON.parse(stdout).openapi, /^3\.1/)
})
