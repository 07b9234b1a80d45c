import Type, { type Static } from 'typebox'
import type { Trx } from '../../db/db.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { changedIn, changesBetween } from '../../http/events.ts'
import { asInstant, IdParams, Nullable } from '../../http/schema.ts'
import { assignable, assignableEach, checkReferences, reference } from '../references.ts'
import { learnWords } from '../search/words.ts'
import { distinctIds, refuseNegativeEstimate, TaskDetail, taskDetailRow, taskInput } from './task.ts'

/** What may be taken away again is null then. */
const TaskChanges = Type.Partial(
  Type.Object({
    ...taskInput,
    assigneeUserId: Nullable(taskInput.assigneeUserId),
    description: Nullable(taskInput.description),
    due: Nullable(taskInput.due),
    estTime: Nullable(taskInput.estTime),
    propertyId: Nullable(taskInput.propertyId),
    requiredSkillId: Nullable(taskInput.requiredSkillId),
    reservationId: Nullable(taskInput.reservationId),
  }),
  { additionalProperties: false },
)
type TaskChanges = Static<typeof TaskChanges>

export const updateTask = write({
  route: 'PATCH /tasks/{id}',
  id: 'updateTask',
  summary: 'Update fields of a task',
  description: `Any status may follow any other. Completing notes when and by whom, in \`endTime\` and \`completedByUserId\`; leaving
\`completed\` takes both back. A changed \`assigneeUserId\` makes the caller the assigner, a changed \`propertyId\` takes that property's
group, a changed \`departmentId\` gives the task that department's category as \`type\`. What is sent as it already is counts as not
sent; nothing to change changes nothing.`,
  permission: 'modify_tasks',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: TaskChanges }, { additionalProperties: false }),
  response: TaskDetail,
  errors: ['task_not_found', 'task_deleted', 'invalid_reference', 'department_archived', 'negative_number'],

  async handler({ trx, actor, params, body, now }) {
    refuseNegativeEstimate(body.data.estTime)
    const stored = await trx.one({
      row: taskDetailRow,
      from: sql`tasks t where t.organization_id = ${actor.organizationId} and t.id = ${params.id} for update`,
    })
    if (!stored) throw new ApiError('task_not_found')
    const before = JSON.parse(stored.text) as TaskDetail
    if (before.deletedAt) throw new ApiError('task_deleted')

    const sent = changedIn(before, { ...before, ...asStored(before, body.data) }) as TaskChanges
    if (Object.keys(sent).length === 0) return stored
    const [, implied] = await Promise.all([
      checkReferences(trx, references(actor.organizationId, before, sent, body.data.collaborators)),
      consequences(trx, actor, before, sent, now),
    ])
    const after = { ...before, ...sent, ...implied } as TaskDetail
    const [updated] = await trx.rows<{ text: string }>(store(actor.organizationId, before, after, now))
    if (sent.name) learnWords(trx, actor.organizationId, sent.name)
    const changes = changesBetween(before, after)
    trx.event({ type: 'task.updated', entityType: 'task', entityId: before.id, changes })
    return updated!
  },
})

/** What was sent, in the form a task answers it. */
function asStored(before: TaskDetail, data: TaskChanges): Partial<TaskDetail> {
  const ids = ['assigneeUserId', 'departmentId', 'propertyId', 'requiredSkillId', 'reservationId'] as const
  const { due, estTime, collaborators, ...rest } = data
  // The stored number may be written in more digits than JavaScript would.
  const sameEstimate = estTime === (before.estTime === null ? null : Number(before.estTime))
  return {
    ...rest,
    ...Object.fromEntries(ids.filter((id) => data[id]).map((id) => [id, data[id]!.toLowerCase()])),
    ...(due === undefined ? {} : { due: due && asInstant(due) }),
    ...(estTime === undefined || sameEstimate ? {} : { estTime: estTime === null ? null : String(estTime) }),
    ...(collaborators ? { collaborators: distinctIds(collaborators) } : {}),
  }
}

/** What is sent as it is already needs no check: the assignee may have left since. */
function references(organizationId: string, before: TaskDetail, sent: TaskChanges, collaborators: string[] | undefined) {
  return [
    reference('departmentId', 'departments', organizationId, sent.departmentId),
    reference('propertyId', 'properties', organizationId, sent.propertyId),
    reference('reservationId', 'reservations', organizationId, sent.reservationId),
    assignable('assigneeUserId', organizationId, sent.assigneeUserId),
    sent.collaborators && collaborators && assignableEach(organizationId, collaborators, before.collaborators ?? []),
  ]
}

/** What else changes with the fields that `sent` changes. Throws 422 for an archived department. */
async function consequences(
  trx: Trx,
  { organizationId, userId }: Actor,
  before: TaskDetail,
  { departmentId, propertyId, assigneeUserId, status }: TaskChanges,
  now: Date,
): Promise<Partial<TaskDetail>> {
  const [[department], [property]] = await Promise.all([
    departmentId === undefined
      ? []
      : trx.rows<{ category: string | null; isArchived: boolean }>(sql`
          select category, archived_at is not null as "isArchived" from departments
          where organization_id = ${organizationId} and id = ${departmentId}`),
    propertyId == null
      ? []
      : trx.rows<{ groupId: string | null }>(sql`
          select property_group_id as "groupId" from properties
          where organization_id = ${organizationId} and id = ${propertyId}`),
  ])
  if (department?.isArchived) throw new ApiError('department_archived', { field: 'departmentId' })
  return {
    ...(department ? { type: department.category } : {}),
    ...(propertyId === undefined ? {} : { propertyGroupId: property?.groupId ?? null }),
    ...(assigneeUserId === undefined ? {} : { assignerUserId: assigneeUserId && userId }),
    ...(status === 'completed' ? { endTime: now.toISOString(), completedByUserId: userId } : {}),
    ...(status && before.status === 'completed' ? { endTime: null, completedByUserId: null } : {}),
  }
}

/** Writes every field that may have changed: one text for all requests. */
function store(organizationId: string, before: TaskDetail, task: TaskDetail, now: Date): Sql {
  const completion = before.status === task.status ? sql`completed_at` : sql`${task.status === 'completed' ? now : null}`
  return sql`
    update tasks t set name = ${task.name}, description = ${task.description}, department_id = ${task.departmentId},
      property_id = ${task.propertyId}, property_group_id = ${task.propertyGroupId}, reservation_id = ${task.reservationId},
      required_skill_id = ${task.requiredSkillId}, assignee_user_id = ${task.assigneeUserId},
      assigner_user_id = ${task.assignerUserId}, completed_by_user_id = ${task.completedByUserId},
      collaborators = ${task.collaborators ?? []}, images = ${task.images ?? []}, due = ${task.due}, end_time = ${task.endTime},
      completed_at = ${completion}, est_time = ${task.estTime}, is_blocking = ${task.isBlocking},
      permission_to_enter = ${task.permissionToEnter}, priority = ${task.priority}, status = ${task.status}, type = ${task.type},
      updated_at = ${now}
    where t.organization_id = ${organizationId} and t.id = ${task.id} returning ${taskDetailRow} as text`
}
