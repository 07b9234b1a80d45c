import { projection } from '../../db/projection.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { deviceRow } from '../devices/device.ts'
import { Organization } from '../organization/organization.ts'
import { Portal } from '../portals/portal.ts'
import { propertyRow } from '../properties/property.ts'
import { propertyGroupRow } from '../property-groups/property-group.ts'

/** What placeholders may name: these resources, each as its own read answers it. Null where the step has none. */
export type PlaceholderContext = Record<'property' | 'propertyGroup' | 'device' | 'organization' | 'portal', object | null>

const resources: Record<string, keyof PlaceholderContext> = {
  property: 'property',
  propertyGroup: 'propertyGroup',
  property_group: 'propertyGroup',
  device: 'device',
  organization: 'organization',
  portal: 'portal',
}

// A text of short placeholders with long values could otherwise grow a thousandfold.
const maxLength = 50_000

/** How placeholders work, for the OpenAPI document. */
export const placeholderRules = `Placeholders in \`title\` and \`description\` are filled in: \`{{property.wifiName}}\` becomes the
property's Wi-Fi name. Before the point stands \`property\`, \`propertyGroup\` (or \`property_group\`), \`device\`, \`organization\` or \`portal\`; after it
any field that this API answers for that resource and that holds a single value, by the same name. Spaces inside the braces do not count.

- A step of a property knows the property and its group; a step of a property group knows the group alone.
- The portal is the property's own (\`portalSettingsId\`), else the default portal of the organization.
- An unknown name, an empty value, a list or an object becomes the empty string. So do \`property.codeDisplay\`, \`property.groupCodeDisplay\`
  and \`property.internalAccessNotes\` without the permission \`private_code\`.
- Everything is filled in once: braces inside a value stay as they are.
- A value that would take the text beyond ${maxLength.toLocaleString('en')} characters is left out.`

/** SQL of the JSON text of the context of the step `i`. Each resource is hidden or shown to the actor as in its own read. */
export const contextOf = (actor: Actor): Sql => sql`
  select '{"property":' || coalesce(${propertyRow(actor)}, 'null')
    || ',"propertyGroup":' || coalesce(${propertyGroupRow}, 'null')
    || ',"device":' || coalesce(${deviceRow}, 'null')
    || ',"organization":' || ${projection(Organization, 'o')}
    || ',"portal":' || coalesce(${projection(Portal, 't')}, 'null') || '}'
  from organizations o
  left join properties p on p.organization_id = o.id and p.id = i.property_id
  left join property_groups g on g.organization_id = o.id and g.id = coalesce(i.property_group_id, p.property_group_id)
  left join devices d on d.organization_id = o.id and d.id = i.device_id
  left join portals t on t.organization_id = o.id and t.id = coalesce(p.portal_settings_id,
    (select f.id from portals f where f.organization_id = o.id and f.is_default))
  where o.id = i.organization_id`

/** The text with its placeholders filled in, in one pass: what a value contains is never looked at again. */
export function fillIn(text: string | null, context: PlaceholderContext | null): string | null {
  if (text === null || context === null) return text
  let length = text.length
  return text.replace(/\{\{([^{}]*)\}\}/g, (placeholder, name: string) => {
    const value = placeholderValue(name.trim(), context)
    const longer = length + value.length - placeholder.length
    if (value.length > placeholder.length && longer > maxLength) {
      length -= placeholder.length
      return ''
    }
    length = longer
    return value
  })
}

/** Own fields only: `property.constructor` names nothing. */
function placeholderValue(name: string, context: PlaceholderContext): string {
  const [resourceName, field, ...rest] = name.split('.')
  if (field === undefined || rest.length > 0 || !Object.hasOwn(resources, resourceName!)) return ''
  const resource = context[resources[resourceName!]!]
  if (resource === null || !Object.hasOwn(resource, field)) return ''
  const value = (resource as Record<string, unknown>)[field]
  return value === null || typeof value === 'object' ? '' : String(value)
}
