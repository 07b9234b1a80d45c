import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { arrayOf, Computed, projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import { ApiError } from '../../http/errors.ts'
import {
  DateTime,
  HttpUrl,
  Nullable,
  NullableBoolean,
  NullableDateTime,
  NullableString,
  NullableUuid,
  OneOf,
  Resource,
  Text,
  Uuid,
} from '../../http/schema.ts'

/** Contract, section 2. */
export const taskPriorities = ['watch', 'low', 'medium', 'high', 'urgent'] as const
export const taskStatuses = ['triage', 'not_started', 'in_progress', 'paused', 'completed', 'cancelled'] as const

/** Contract, section 2: exactly what it says a task answers. People are named by user id. */
export const Task = Resource('Task', {
  id: Uuid,
  departmentId: Uuid,
  propertyId: NullableUuid,
  propertyGroupId: NullableUuid,
  reservationId: NullableUuid,
  templateId: NullableUuid,
  scheduleId: NullableUuid,
  requiredSkillId: NullableUuid,
  assigneeUserId: NullableUuid,
  assignerUserId: NullableUuid,
  completedByUserId: NullableUuid,
  createdById: Nullable(Type.String({ format: 'uuid', description: 'A user id.' })),
  collaborators: Nullable(Type.Array(Uuid, { description: 'User ids.' })),
  images: Nullable(Type.Array(Type.String())),
  due: NullableDateTime,
  endTime: NullableDateTime,
  deletedAt: NullableDateTime,
  estTime: Computed(Nullable(Type.String({ description: 'Minutes, as a decimal number.', examples: ['45'] }))),
  financialApprovalStatus: NullableString,
  isBlocking: NullableBoolean,
  isRecurring: NullableBoolean,
  isTimeAdded: NullableBoolean,
  isUnassigned: Computed(Nullable(Type.Boolean())),
  permissionToEnter: NullableBoolean,
  priority: Nullable(OneOf(taskPriorities)),
  status: Nullable(OneOf(taskStatuses)),
  totalCost: Computed(Nullable(Type.Number({ description: 'Cents: the sum of its cost items and time entries.' }))),
  type: NullableString,
  publicEnabled: Type.Boolean(),
  createdAt: DateTime,
  updatedAt: DateTime,
})

export const TaskItem = Resource('TaskItem', {
  id: Uuid,
  checklistItemId: NullableUuid,
  groupTitle: NullableString,
  description: NullableString,
  rank: Type.Number(),
  photoRequired: Type.Boolean(),
  completedAt: NullableDateTime,
  completedByUserId: NullableUuid,
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** A task as the extension reads answer it: the contract's fields, and what the work is. */
export const TaskDetail = Resource('TaskDetail', {
  ...Task.properties,
  name: Type.String(),
  description: NullableString,
  items: Computed(Type.Array(TaskItem, { description: 'What is to be done, by rank.' })),
})
export type TaskDetail = Static<typeof TaskDetail>

const computed = {
  // As stored it may carry zeros after the point, which say nothing.
  estTime: sql`coalesce('"' || trim_scale(t.est_time) || '"', 'null')`,
  isUnassigned: sql`(t.assignee_user_id is null)::text`,
  totalCost: sql`(
    (select coalesce(sum(c.total_cost_cents), 0) from cost_items c
      where c.organization_id = t.organization_id and c.task_id = t.id)
    + (select coalesce(sum(e.attributed_cost_cents), 0) from time_entries e
      where e.organization_id = t.organization_id and e.task_id = t.id))::text`,
}

/** A task under the alias `t` that is just being inserted: nothing was spent on it, and to sum nothing up would cost a tenth of the insert. */
export const newTaskRow = projection(Task, 't', { ...computed, totalCost: sql`'0'` })

/** An item of a task under the alias `i`. */
export const taskItemRow = projection(TaskItem, 'i')

/** A task under the alias `t`. */
export const taskDetailRow = projection(TaskDetail, 't', {
  ...computed,
  items: arrayOf(
    taskItemRow,
    sql`from task_items i where i.organization_id = t.organization_id and i.task_id = t.id order by i.rank, i.id`,
  ),
})

const UserId = (description: string) => Type.String({ format: 'uuid', description })

/** What a request may say of a task (contract, section 4, POST /tasks). */
export const taskInput = {
  departmentId: Uuid,
  name: Text({ minLength: 1 }),
  assigneeUserId: UserId('A user id, not a member id, of an assignable member.'),
  collaborators: Type.Array(Text(), { maxItems: 200, description: 'User ids, not member ids, of assignable members.' }),
  description: Text({ maxLength: 20_000 }),
  due: Type.String({
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?Z$',
    patternMessage: 'must be a date-time in UTC with Z',
    description: 'UTC with `Z`; seconds and their fraction may be left out. What is finer than a millisecond is cut off.',
    examples: ['2026-06-01T14:30Z', '2026-06-01T14:30:00.000Z'],
  }),
  estTime: Type.Number({ description: 'Minutes, not negative.' }),
  images: Type.Array(HttpUrl, { maxItems: 200 }),
  isBlocking: Type.Boolean(),
  permissionToEnter: Type.Boolean(),
  priority: OneOf(taskPriorities),
  propertyId: Uuid,
  requiredSkillId: Uuid,
  reservationId: Uuid,
  status: OneOf(taskStatuses),
}

/** Throws 422 for a negative estimate: a rule of the business, as the contract declares no bound (docs/decisions.md). */
export function refuseNegativeEstimate(estTime: number | null | undefined): void {
  if (estTime != null && estTime < 0) throw new ApiError('negative_number', { field: 'estTime' })
}

/** The same people, each once. */
export const distinctIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))]

/** Something to be done, as a template asks for it (`requirementsOf`); on a task it is an item. */
export type Requirement = {
  checklistItemId: string
  groupTitle: string | null
  description: string | null
  photoRequired: boolean
}

/** Where items go: ranks count up from `firstRank`. */
type Place = { organizationId: string; taskId: string; firstRank: number; now: Date }

/** Adds requirements to a task as items, in order, and answers their ids. Sent and not awaited: what fails fails the transaction. */
export function addItems(
  trx: Trx,
  { organizationId, taskId, firstRank, now }: Place,
  requirements: readonly Requirement[],
): string[] {
  if (requirements.length === 0) return []
  const items = requirements.map((requirement, index) => ({ id: v7(), rank: firstRank + index, ...requirement }))
  trx
    .run(sql`insert into task_items (organization_id, id, task_id, checklist_item_id, group_title, description, rank,
        photo_required, created_at, updated_at)
      select ${organizationId}, i.id, ${taskId}, i."checklistItemId", i."groupTitle", i.description, i.rank, i."photoRequired",
        ${now}, ${now}
      from json_to_recordset(${JSON.stringify(items)}) i (id uuid, "checklistItemId" uuid, "groupTitle" text, description text,
        rank numeric, "photoRequired" boolean)`)
    .catch(() => {})
  return items.map(({ id }) => id)
}
