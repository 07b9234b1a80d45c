import Type from 'typebox'
import { ChecklistItem, TaskTemplate, TaskTemplateGroup } from '../../api/task-templates/task-template.ts'
import { Nullable, NullableUuid, Text, Uuid } from '../../http/schema.ts'
import { Count, fieldsOf, NullableCents, type RecordFile, record, Stamps } from '../record.ts'

export const taskTemplates = {
  table: 'task_templates',
  about: 'Task templates.',
  schema: record(
    {
      ...fieldsOf(TaskTemplate, { computed: ['groups'], long: ['description', 'descriptionText'] }),
      name: Text({ minLength: 1 }),
      translationCoverage: Type.Record(Type.String(), Type.Number(), { maxProperties: 200 }),
      translationFieldCount: Count,
    },
    { required: ['id', 'name', 'departmentId'], defaults: { translationCoverage: {}, translationFieldCount: 0 } },
  ),
  references: { departmentId: 'departments', createdById: 'users' },
} satisfies RecordFile

export const taskTemplateGroups = {
  table: 'task_template_groups',
  about: 'Groups of requirements within a task template.',
  schema: record(
    {
      ...fieldsOf(TaskTemplateGroup, { computed: ['checklistItems'], long: ['photoAiVerificationPromptText'] }),
      templateId: Uuid,
    },
    { required: ['id', 'templateId'], defaults: { isArchived: false } },
  ),
  references: { templateId: 'task-templates', createdById: 'users' },
} satisfies RecordFile

export const checklistItems = {
  table: 'checklist_items',
  about: 'Checklist items within a group of a task template.',
  schema: record(
    { ...fieldsOf(ChecklistItem, { long: ['descriptionText'] }), groupId: Uuid, templateId: Uuid },
    { required: ['id', 'groupId', 'templateId'] },
  ),
  references: { groupId: 'task-template-groups', templateId: 'task-templates', createdById: 'users' },
} satisfies RecordFile

export const taskRates = {
  table: 'task_rates',
  about: "What a template's task is expected to take and cost: for every property, or for one.",
  schema: record(
    {
      id: Uuid,
      templateId: Uuid,
      propertyId: NullableUuid,
      estimatedMinutes: Nullable(Type.Number({ minimum: 0 })),
      costCents: NullableCents,
      billableCents: NullableCents,
      ...Stamps,
    },
    { required: ['id', 'templateId'] },
  ),
  references: { templateId: 'task-templates', propertyId: 'properties' },
} satisfies RecordFile
