import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startService, steward } from '../command.ts'
import { scratch } from '../scratch.ts'

// docs/integrations.md, "A walk without hardware": the same commands, on a directory and with processes of its own.

const processes = new Set<ChildProcess>()
after(() => {
  for (const process of processes) process.kill('SIGKILL')
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Seam's fake of its service, by its own command. */
async function startSeam(): Promise<string> {
  const port = await freePort()
  const command = join(import.meta.dirname, '../../node_modules/@seamapi/fake-seam-connect/dist/server.js')
  const child = spawn(process.execPath, [command, '--seed'], { env: { PORT: String(port) }, stdio: 'ignore' })
  processes.add(child)
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer) return url
    assert.equal(child.exitCode, null, 'the fake ended')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the fake does not answer')
}

test('a new user connects an account at Seam by the command line alone, sees its devices, refreshes one and locks one', {
  timeout: 180_000,
}, async () => {
  const env = { STEWARD_DATA_DIR: await scratch(), LOG_LEVEL: 'warn' }
  const [service, seam] = await Promise.all([startService(env), startSeam()])
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await steward(args, env)
    assert.equal(code, 0, stderr)
    assert.ok(!`${stdout}${stderr}`.includes('seam_apikey1_token'), 'the secret is not told again')
    return stdout
  }
  const owner = 'you@aurora.example'
  await cli(
    'organizations',
    'create',
    '--name',
    'Casa Aurora',
    '--slug',
    'aurora',
    '--timezone',
    'Europe/Lisbon',
    '--owner-email',
    owner,
  )
  const { key } = JSON.parse(await cli('keys', 'create', '--organization', 'aurora', '--member', owner, '--json'))
  const call = async (route: string) => {
    const [method, path] = route.split(' ') as [string, string]
    const answer = await fetch(`${service.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers freely
    const body = (await answer.json()) as any
    assert.equal(answer.status, 200, JSON.stringify(body))
    return body.data
  }

  const settings = ['--setting', 'apiKey=seam_apikey1_token', '--setting', `endpoint=${seam}`]
  const added = await cli('integrations', 'add', '--organization', 'aurora', '--provider', 'seam', '--name', 'Seam', ...settings)
  const id = /^Id {2}(\S+)$/m.exec(added)?.[1]
  assert.ok(id && added.includes(`npx steward integrations sync ${id}`), 'it says how to go on')
  assert.match(await cli('integrations', 'test', id), /works/)
  assert.match(await cli('integrations', 'sync', id), /^5 devices: 5 new/)
  assert.match(await cli('integrations', 'list', '--organization', 'aurora'), new RegExp(`${id} +seam +Seam +stored +5 `))

  const devices = await call('GET /devices')
  assert.deepEqual(
    devices.map(({ name, type, provider }: Record<string, string>) => [name, type, provider]),
    [
      ['Front Door', 'lock', 'seam'],
      ['Back Door', 'lock', 'seam'],
      ['Thermostat 1', 'thermostat', 'seam'],
      ['Minut Sensor 1', 'sensor', 'seam'],
      ['Bathroom Door', 'lock', 'seam'],
    ],
  )
  const front = devices[0].id
  const refreshed = await call(`POST /devices/${front}/refresh`)
  assert.deepEqual([refreshed.online, refreshed.deviceState.lock.state], [true, 'locked'])

  for (const [verb, state] of [
    ['unlock', 'unlocked'],
    ['lock', 'locked'],
  ] as const) {
    const { commandId } = await call(`POST /devices/${front}/${verb}`)
    let command = await call(`GET /device-commands/${commandId}`)
    for (let tries = 0; command.state === 'pending' && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      command = await call(`GET /device-commands/${commandId}`)
    }
    assert.deepEqual([command.kind, command.state, command.observedLockState], [verb, 'succeeded', state])
    assert.equal((await call(`GET /devices/${front}`)).deviceState.lock.state, state)
  }

  service.kill('SIGTERM')
  const { stdout, stderr, code } = await service.ended
  assert.equal(code, 0)
  assert.ok(!`${stdout}${stderr}`.includes('seam_apikey1_token'), 'nor is it in the log')
})
