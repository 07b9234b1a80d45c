import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { organization, server } from '../../test/helper.ts'
import { sql } from '../db/sql.ts'
import { importRecords } from './import.ts'
import type { Records } from './records.ts'

const { database } = server()
const into = (organizationId: string, records: Records) =>
  database.transaction((trx) => importRecords(trx, organizationId, records))

test('the total of devices stays true, whatever is imported twice or refused', async () => {
  const { organizationId } = await organization(database)
  const devices = Array.from({ length: 3 }, (_, i) => ({ id: v7(), name: `Lock ${i}`, type: 'lock' as const }))
  const counted = async () => {
    const [row] = await database.reader().db.rows(sql`select device_count as kept,
      (select count(*)::int from devices where organization_id = ${organizationId}) as there
      from organizations where id = ${organizationId}`)
    return row
  }
  assert.ok((await into(organizationId, { devices: devices.slice(0, 2) })).ok)
  assert.ok((await into(organizationId, { devices })).ok)
  assert.ok(!(await into(organizationId, { devices: [{ id: v7(), propertyIds: [v7()] }] })).ok)
  assert.deepEqual(await counted(), { kept: 3, there: 3 })
})
