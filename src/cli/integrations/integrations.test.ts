import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import Type from 'typebox'
import { startService, steward } from '../../../test/command.ts'
import { testServer } from '../../../test/helper.ts'
import { scratch } from '../../../test/scratch.ts'
import { demoSlug } from '../../demo/demo.ts'
import type { Provider } from '../../providers/provider.ts'
import { readSettings } from './settings.ts'

const { client, make, organizationId } = await testServer()
const slug = `casa-${organizationId}`

test('an account is added, listed, tested, synced and removed', async () => {
  const added = await steward([
    'integrations',
    'add',
    '--organization',
    slug,
    '--provider',
    'simulated',
    '--name',
    'Drill',
    '--json',
  ])
  assert.equal(added.code, 0, added.stderr)
  const { id } = JSON.parse(added.stdout)
  const door = await make('devices', { name: 'Door', type: 'lock', integrationAccountId: id, externalId: 'd', online: true })

  const tested = await steward(['integrations', 'test', id, '--json'])
  assert.deepEqual([tested.code, JSON.parse(tested.stdout)], [0, { ok: true, error: null }])
  const synced = await steward(['integrations', 'sync', id, '--json'])
  assert.deepEqual(JSON.parse(synced.stdout), { seen: 1, created: 0, updated: 0, archived: 0, restored: 0 })
  assert.ok((await client('GET /devices/{id}', { id: door.id })).data.healthCheck)
  const listed = JSON.parse((await steward(['integrations', 'list', '--organization', slug, '--json'])).stdout)
  assert.deepEqual(listed, (await client('GET /integrations')).data)
  assert.match((await steward(['integrations', 'list', '--organization', slug])).stdout, /^ID +PROVIDER +NAME/)

  const removed = await steward(['integrations', 'remove', id, '--json'])
  assert.deepEqual(JSON.parse(removed.stdout), { id, archived: 1 })
  assert.equal((await client('GET /devices/{id}', { id: door.id })).data.isArchived, true)
})

test('an account that does not work ends with 1 and the reason in one line', async () => {
  const manual = await make('integration_accounts', { provider: 'manual' })
  const tested = await steward(['integrations', 'test', manual.id, '--json'])
  assert.deepEqual([tested.code, JSON.parse(tested.stdout).error.code], [1, 'not_connected'])
  assert.match(tested.stderr, /^steward: the account cannot be used: .*\(not_connected\)\n$/)
  const synced = await steward(['integrations', 'sync', manual.id])
  assert.deepEqual([synced.code, synced.stderr.split('\n').length], [1, 2])
})

test('what cannot be an account is refused with the reason', async () => {
  const cases: [string[], RegExp][] = [
    [['--provider', 'simulatd'], /no provider "simulatd"; did you mean simulated/],
    [['--provider', 'simulated', '--setting', 'hush'], /--setting takes name=value/],
    [['--provider', 'simulated', '--setting', 'key=hush'], /simulated takes no setting "key"/],
    [['--provider', 'simulated', '--organization', `${slug}x`], /no organization with the slug/],
  ]
  for (const [options, reason] of cases) {
    const { code, stderr } = await steward(['integrations', 'add', '--organization', slug, ...options])
    assert.match(stderr, reason)
    assert.ok(code === 1 && !stderr.includes('hush'))
  }
  assert.match((await steward(['integrations', 'remove', 'x'])).stderr, /no integration with the id "x"/)
})

test('settings come from a file, and over them from options, in the types that the provider takes', async () => {
  const settings = Type.Object({ key: Type.String(), port: Type.Integer(), tls: Type.Boolean() })
  const provider = { name: 'seam', settings } as unknown as Provider
  const file = join(await scratch(), 'settings.json')
  await writeFile(file, '{"key":"123","port":1}')
  assert.deepEqual(await readSettings(provider, { settingsFile: file, setting: ['port=1883', 'tls=true'] }), {
    key: '123',
    port: 1883,
    tls: true,
  })
  assert.deepEqual(await readSettings(provider, { setting: ['key=456=7', 'port=x'] }), { key: '456=7', port: 'x' })
  for (const text of ['hush', '["hush"]']) {
    await writeFile(file, text)
    await assert.rejects(
      readSettings(provider, { settingsFile: file, setting: [] }),
      (error: Error) => !error.message.includes('hush'),
    )
  }
})

test('on an embedded database the commands work while its server runs, under one key', async () => {
  const directory = await scratch()
  const env = { STEWARD_DATA_DIR: directory, LOG_LEVEL: 'error' }
  const add = () => steward(['integrations', 'add', '--organization', demoSlug, '--provider', 'simulated', '--json'], env)
  const service = await startService(env)
  const { code, stdout, stderr } = await add()
  assert.equal(code, 0, stderr)
  assert.equal((await service.get(`/integrations/${JSON.parse(stdout).id}`)).status, 200)
  assert.equal((await stat(join(directory, 'encryption-key'))).mode & 0o777, 0o600)
})
