import { type Sql, sql } from '../../db/sql.ts'
import type { Permission } from '../../http/permissions.ts'

/** Contract, section 4. */
export const entityTypes = ['user', 'property_group', 'property', 'reservation', 'device', 'task'] as const
export type EntityType = (typeof entityTypes)[number]

/**
 * Where entities of a type are found, as rows of `e`. `past`: what is over stands behind what is not, where names tie, and
 * `away`, in seconds from now, sorts within both.
 */
export type Source = {
  type: EntityType
  permission: Permission
  rows: Sql
  /** Beyond the organization. */
  condition?: Sql
  past?: Sql
  away?: Sql
  /** What is shown of the row `e` whose id is `page.id`: one row. */
  shown: Sql
}

const localDay = (column: Sql): Sql => sql`to_char(${column} at time zone coalesce(p.timezone, o.timezone, 'UTC'), 'YYYY-MM-DD')`

/** In the order in which types stand where all else ties. */
export const sources: readonly Source[] = [
  {
    type: 'user',
    permission: 'view_users',
    rows: sql`members`,
    past: sql`e.deactivated_at is not null`,
    shown: sql`select e.user_id as "entityId", btrim(concat_ws(' ', e.first_name, e.last_name)) as name, e.email as alternative, null::text as subtitle`,
  },
  {
    type: 'property_group',
    permission: 'view_properties',
    rows: sql`property_groups`,
    shown: sql`select e.id as "entityId", e.name, null::text as alternative, null::text as subtitle`,
  },
  {
    type: 'property',
    permission: 'view_properties',
    rows: sql`properties`,
    shown: sql`select e.id as "entityId", e.name, e.nickname as alternative,
      coalesce(e.formatted_address, nullif(concat_ws(', ', e.street_address, e.postal_code, e.city), '')) as subtitle`,
  },
  {
    type: 'reservation',
    permission: 'view_reservations',
    rows: sql`reservations`,
    past: sql`coalesce(e.check_out < now(), false)`,
    away: sql`abs(extract(epoch from e.check_in - now()))`,
    shown: sql`select e.id as "entityId", btrim(concat_ws(' ', e.guest_first_name, e.guest_last_name)) as name, e.confirmation_code as alternative,
      (select concat_ws(', ', nullif(concat_ws(' – ', ${localDay(sql`e.check_in`)}, ${localDay(sql`e.check_out`)}), ''), p.name)
       from organizations o left join properties p on p.organization_id = o.id and p.id = e.property_id
       where o.id = e.organization_id) as subtitle`,
  },
  {
    type: 'device',
    permission: 'view_devices',
    rows: sql`devices`,
    past: sql`e.is_archived`,
    shown: sql`select e.id as "entityId", e.name, e.external_id as alternative,
      (select string_agg(p.name, ', ' order by p.name) from device_properties l
       join properties p on p.organization_id = l.organization_id and p.id = l.property_id
       where l.organization_id = e.organization_id and l.device_id = e.id) as subtitle`,
  },
  {
    type: 'task',
    permission: 'view_tasks',
    rows: sql`tasks`,
    condition: sql`e.deleted_at is null`,
    past: sql`coalesce(e.status in ('completed', 'cancelled'), false)`,
    away: sql`abs(extract(epoch from coalesce(e.due, e.created_at) - now()))`,
    shown: sql`select e.id as "entityId", e.name, null::text as alternative,
      nullif(concat_ws(', ', (select p.name from properties p where p.organization_id = e.organization_id and p.id = e.property_id),
        e.status), '') as subtitle`,
  },
]
