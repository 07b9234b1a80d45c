import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { v7 } from 'uuid'
import { startService, steward } from '../command.ts'

const directory = mkdtempSync(join(tmpdir(), 'steward-import-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const env = { STEWARD_DATA_DIR: join(directory, 'data'), PORT: '0', LOG_LEVEL: 'error', STEWARD_RATE_LIMIT: '1000000' }
const groups = Array.from({ length: 50 }, (_, i) => ({ id: v7(), name: `Group ${i}` }))
const properties = Array.from({ length: 4000 }, (_, i) => ({ id: v7(), name: `House ${i}`, propertyGroupId: groups[i % 50]!.id }))
for (const [name, records] of Object.entries({ 'property-groups': groups, properties })) {
  writeFileSync(join(directory, `${name}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}

test('kill -9 of the server in the middle of an import leaves all of it or nothing, and a database that starts', {
  timeout: 300_000,
}, async () => {
  const seen = new Set<number>()
  for (const [round, delay] of [100, 900, 4000].entries()) {
    const slug = `round-${round}`
    await steward(
      ['organizations', 'create', '--name', slug, '--slug', slug, '--timezone', 'UTC', '--owner-email', 'o@round.example'],
      env,
    )
    const { stdout } = await steward(['keys', 'create', '--organization', slug, '--member', 'o@round.example', '--json'], env)
    const { key } = JSON.parse(stdout) as { key: string }

    const server = await startService(env)
    const importing = steward(['import', directory, '--organization', slug], env)
    await Promise.race([importing, new Promise((resolve) => setTimeout(resolve, delay))])
    server.kill('SIGKILL')
    await server.ended
    const { code } = await importing

    const again = await startService(env)
    const total = async (noun: string) => {
      const answer = (await (await again.get(`/${noun}?limit=1`, key)).json()) as { meta: { pagination: { total: number } } }
      return answer.meta.pagination.total
    }
    const [groupCount, propertyCount] = [await total('property-groups'), await total('properties')]
    assert.ok([0, 4000].includes(propertyCount), `${propertyCount} properties`)
    assert.equal(groupCount, propertyCount === 0 ? 0 : 50)
    if (code === 0) assert.equal(propertyCount, 4000, 'an import that was acknowledged is there')
    seen.add(propertyCount)
    again.kill('SIGTERM')
    await again.ended
  }
  assert.deepEqual([...seen].sort(), [0, 4000], 'the rounds met both ends')
})
