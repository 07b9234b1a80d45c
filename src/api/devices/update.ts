import Type, { type Static } from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changesBetween } from '../../http/events.ts'
import { IdParams, Text, Uuid } from '../../http/schema.ts'
import { reconcileAlerts } from '../device-alerts/reconcile.ts'
import { checkReferences, reference } from '../references.ts'
import { learnWords } from '../search/words.ts'
import { RefreshedDevice, refreshedDeviceRow } from './device.ts'

const Changes = Type.Partial(
  Type.Object({
    name: Text({ minLength: 1 }),
    propertyIds: Type.Array(Uuid, { maxItems: 1000, description: 'The properties it belongs to: exactly these from now on.' }),
    isArchived: Type.Boolean(),
    enableRemoteControls: Type.Boolean({ description: 'Whether it may be locked and unlocked from afar.' }),
  }),
  { additionalProperties: false },
)

export const updateDevice = write({
  route: 'PATCH /devices/{id}',
  id: 'updateDevice',
  summary: 'Update a device: its name, properties, archival, remote controls',
  description: `A name given here stays, whatever the provider calls the device. A device archived here stays archived when a sync sees it;
one taken back that its provider no longer lists stays, until it is listed again and vanishes again. Nothing to change changes nothing.`,
  permission: 'modify_devices',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: Changes }, { additionalProperties: false }),
  response: RefreshedDevice,
  errors: ['device_not_found', 'invalid_reference'],

  async handler({ trx, actor, params, body: { data }, now, config }) {
    const { organizationId } = actor
    const from = sql`devices d where d.organization_id = ${organizationId} and d.id = ${params.id}`
    const stored = await trx.one({ row: refreshedDeviceRow, from: sql`${from} for no key update` })
    if (!stored) throw new ApiError('device_not_found')
    const before = told(JSON.parse(stored.text))
    const propertyIds = data.propertyIds && [...new Set(data.propertyIds.map((id) => id.toLowerCase()))].sort()
    const after = { ...before, ...data, ...(propertyIds ? { propertyIds } : {}) }
    const changes = changesBetween(before, after)
    if (Object.keys(changes).length === 0) return stored

    if ('propertyIds' in changes) {
      const added = after.propertyIds.filter((id) => !before.propertyIds.includes(id))
      await checkReferences(
        trx,
        added.map((id) => reference('propertyIds', 'properties', organizationId, id)),
      )
      await trx.run(sql`delete from device_properties where organization_id = ${organizationId} and device_id = ${params.id}
        and property_id <> all(${after.propertyIds}::uuid[])`)
      await trx.run(sql`insert into device_properties (organization_id, device_id, property_id)
        select ${organizationId}, ${params.id}, property from unnest(${added}::uuid[]) property`)
    }
    await trx.run(sql`
      update devices set name = ${after.name}, is_archived = ${after.isArchived}, enable_remote_controls = ${after.enableRemoteControls},
        archived_by_sync = archived_by_sync and not ${'isArchived' in changes}, updated_at = ${now}
      where organization_id = ${organizationId} and id = ${params.id}`)
    if ('name' in changes) learnWords(trx, organizationId, after.name)
    if ('isArchived' in changes) await reconcileAlerts(trx, organizationId, [params.id], now, config)
    trx.event({ type: 'device.updated', entityType: 'device', entityId: params.id.toLowerCase(), changes })
    return (await trx.one({ row: refreshedDeviceRow, from }))!
  },
})

/** What a person may change. */
const told = ({ name, isArchived, enableRemoteControls, linkedProperties }: Static<typeof RefreshedDevice>) => ({
  name,
  isArchived,
  enableRemoteControls,
  propertyIds: linkedProperties.map(({ propertyId }) => propertyId).sort(),
})
