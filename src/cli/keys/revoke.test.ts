import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { steward } from '../../../test/command.ts'
import { clientOf, testServer } from '../../../test/helper.ts'

const { app, client: ownerClient, keyFor, owner, organizationId } = await testServer()

test('a revoked key is refused at its very next request, and revoking again changes nothing', async () => {
  const { key, id } = await keyFor(owner.id)
  const client = clientOf(app, key)
  assert.equal((await client('GET /organization')).status, 200)

  const { code, stdout } = await steward(['keys', 'revoke', id, '--json'])
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(stdout), { id })
  assert.equal((await client('GET /organization')).status, 401)

  const revokedAt = await timeOfRevocation(id)
  assert.equal((await steward(['keys', 'revoke', id])).code, 0)
  assert.equal(await timeOfRevocation(id), revokedAt)

  const events = await ownerClient('GET /events', { query: { entityId: id } })
  assert.deepEqual(
    events.data.map(({ type }: { type: string }) => type),
    ['api_key.revoked'],
  )
})

test('an id that no key has is refused, and so is the key itself', async () => {
  for (const id of [v7(), 'x']) {
    const { code, stderr } = await steward(['keys', 'revoke', id])
    assert.equal(code, 1)
    assert.equal(stderr, `steward: there is no API key with the id "${id}"\n`)
  }
  const { code, stderr } = await steward(['keys', 'revoke', 'sk_live_abcdef'])
  assert.equal(code, 1)
  assert.match(stderr, /give the id of the key/)
  assert.ok(!stderr.includes('abcdef'))
})

async function timeOfRevocation(id: string): Promise<string> {
  const { stdout } = await steward(['keys', 'list', '--organization', `casa-${organizationId}`, '--json'])
  return JSON.parse(stdout).find((row: { id: string }) => row.id === id).revokedAt
}
