import Type from 'typebox'
import { arrayOf, Computed, projection } from '../../db/projection.ts'
import { type Sql, sql } from '../../db/sql.ts'
import {
  DateTime,
  Nullable,
  NullableBoolean,
  NullableDateTime,
  NullableNumber,
  NullableString,
  NullableUuid,
  OneOf,
  Resource,
  Uuid,
} from '../../http/schema.ts'
import { taskPriorities } from '../tasks/task.ts'

/** Contract, section 2. */
export const ChecklistItem = Resource('ChecklistItem', {
  id: Uuid,
  groupId: NullableUuid,
  templateId: NullableUuid,
  descriptionText: NullableString,
  optionGroupId: NullableUuid,
  rank: NullableNumber,
  userCreated: NullableBoolean,
  createdById: NullableUuid,
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** Contract, section 2, "Group". */
export const TaskTemplateGroup = Resource('TaskTemplateGroup', {
  id: Uuid,
  templateId: NullableUuid,
  type: NullableString,
  titleText: NullableString,
  rank: NullableNumber,
  reference: NullableString,
  isArchived: Type.Boolean(),
  optionSetId: NullableUuid,
  parentCategoryId: NullableUuid,
  targetCategoryId: NullableUuid,
  targetLevel: NullableString,
  photoRequired: NullableBoolean,
  photoRequirement: NullableString,
  photoAiVerificationPromptText: NullableString,
  userCreated: NullableBoolean,
  createdById: NullableUuid,
  createdAt: DateTime,
  updatedAt: DateTime,
  checklistItems: Computed(Type.Array(ChecklistItem, { description: 'By rank.' })),
})

/** Contract, section 2. Estimates are no field of it: they live on its task rates. */
export const TaskTemplate = Resource('TaskTemplate', {
  id: Uuid,
  name: Type.String(),
  nameText: NullableString,
  description: NullableString,
  descriptionText: NullableString,
  departmentId: Uuid,
  priority: Nullable(OneOf(taskPriorities)),
  permissionToEnter: NullableBoolean,
  requiredSkillId: NullableUuid,
  isAdminTemplate: NullableBoolean,
  createdById: Nullable(Type.String({ format: 'uuid', description: 'A user id.' })),
  deletedAt: NullableDateTime,
  translationCoverage: Type.Record(Type.String(), Type.Number()),
  translationFieldCount: Type.Number(),
  createdAt: DateTime,
  updatedAt: DateTime,
  groups: Computed(Type.Array(TaskTemplateGroup, { description: 'By rank, archived ones included.' })),
})

const groupRow = projection(TaskTemplateGroup, 'g', {
  checklistItems: arrayOf(
    projection(ChecklistItem, 'i'),
    sql`from checklist_items i where i.organization_id = g.organization_id and i.group_id = g.id
      order by i.rank, i.created_at, i.id`,
  ),
})

/** A task template under the alias `t`, with its groups and their checklist items. */
export const taskTemplateRow = projection(TaskTemplate, 't', {
  groups: arrayOf(
    groupRow,
    sql`from task_template_groups g where g.organization_id = t.organization_id and g.template_id = t.id
      order by g.rank, g.created_at, g.id`,
  ),
})

/**
 * What the template with the id `template` asks for, as a JSON array of `Requirement`: the checklist items of its groups
 * that are not archived, by rank; null where there are none.
 */
export const requirementsOf = (organizationId: string, template: Sql): Sql => sql`(
  select json_agg(json_build_object('checklistItemId', i.id, 'groupTitle', g.title_text, 'description', i.description_text,
      'photoRequired', coalesce(g.photo_required, false))
    order by g.rank, g.created_at, g.id, i.rank, i.created_at, i.id)
  from task_template_groups g
  join checklist_items i on i.organization_id = g.organization_id and i.group_id = g.id
  where g.organization_id = ${organizationId} and g.template_id = ${template} and not g.is_archived)`

/**
 * SQL for the minutes that work by a template is expected to take: its rate for the property, else its rate for all; null
 * where neither says.
 */
export const estimateOf = (organizationId: string, template: Sql, property: Sql): Sql => sql`(
  select r.estimated_minutes from task_rates r
  where r.organization_id = ${organizationId} and r.template_id = ${template} and r.estimated_minutes is not null
    and (r.property_id = ${property} or r.property_id is null)
  order by r.property_id is null limit 1)`
