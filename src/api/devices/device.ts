import Type from 'typebox'
import type { Trx } from '../../db/db.ts'
import { arrayOf, Computed, columnAsJson, projection } from '../../db/projection.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import {
  DateTime,
  Nullable,
  NullableBoolean,
  NullableDateTime,
  NullableNumber,
  NullableString,
  OneOf,
  Resource,
  Uuid,
} from '../../http/schema.ts'
import { deviceTypes, ecosystems, providerNames } from '../../providers/provider.ts'

export const LinkedProperty = Type.Object({ propertyId: Uuid, propertyName: NullableString })

const fields = {
  id: Uuid,
  name: NullableString,
  type: Nullable(OneOf(deviceTypes)),
  ecosystem: Nullable(OneOf(ecosystems)),
  provider: Nullable(OneOf(providerNames)),
  online: NullableBoolean,
  batteryLevel: NullableNumber,
  batteryUpdatedAt: NullableDateTime,
  healthCheck: NullableDateTime,
  deviceState: Type.Unknown({ description: 'What the provider last said of the device; null where it never did.' }),
  isArchived: Type.Boolean(),
  linkedProperties: Computed(Type.Array(LinkedProperty)),
  createdAt: DateTime,
}

export const Device = Resource('Device', fields)

/** Contract, section 2: what a refresh answers besides. */
export const RefreshedDevice = Resource('RefreshedDevice', {
  ...fields,
  updatedAt: DateTime,
  enableRemoteControls: Type.Boolean(),
})

/** How many devices the organization has, as a scalar; `countDevices` keeps it. */
export const deviceCount = (organizationId: string): Sql =>
  sql`select o.device_count from organizations o where o.id = ${organizationId}`

/** To be called by whatever inserts devices (or deletes them, with a negative number), in the same transaction. */
export const countDevices = (trx: Trx, organizationId: string, more: number): Promise<number> =>
  trx.run(sql`update organizations set device_count = device_count + ${more} where id = ${organizationId}`)

/** Links come in the order of their primary key, which needs no sort. */
const links = {
  linkedProperties: arrayOf(
    sql`'{"propertyId":"' || l.property_id || '","propertyName":' || (
      select ${raw(columnAsJson('p.name', NullableString))} from properties p
      where p.organization_id = l.organization_id and p.id = l.property_id) || '}'`,
    sql`from device_properties l where l.organization_id = d.organization_id and l.device_id = d.id order by l.property_id`,
  ),
}

/** A device under the alias `d`. */
export const deviceRow = projection(Device, 'd', links)
export const refreshedDeviceRow = projection(RefreshedDevice, 'd', links)
