import Type, { type Static } from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { TaskItem, taskItemRow } from '../tasks/task.ts'

const Changes = Type.Object({ completed: Type.Optional(Type.Boolean()) }, { additionalProperties: false })

export const updateTaskItem = write({
  route: 'PATCH /task-items/{id}',
  id: 'updateTaskItem',
  summary: 'Complete an item of a task, or open it again',
  description:
    'Completing notes when and by whom; completing what is completed changes nothing, so the first one stays on record.',
  permission: 'modify_tasks',
  extension: true,
  params: IdParams,
  body: Type.Object({ data: Changes }, { additionalProperties: false }),
  response: TaskItem,
  errors: ['task_item_not_found', 'task_deleted'],

  async handler({ trx, actor, params, body: { data }, now }) {
    const [found] = await trx.rows<{ item: string; isDeleted: boolean }>(sql`
      select ${taskItemRow} as item, t.deleted_at is not null as "isDeleted"
      from task_items i join tasks t on t.organization_id = i.organization_id and t.id = i.task_id
      where i.organization_id = ${actor.organizationId} and i.id = ${params.id} for update of i for share of t`)
    if (!found) throw new ApiError('task_item_not_found')
    if (found.isDeleted) throw new ApiError('task_deleted')
    const before = JSON.parse(found.item) as Static<typeof TaskItem>
    if (data.completed === undefined || data.completed === (before.completedAt !== null)) return { text: found.item }

    const after = { completedAt: data.completed ? now : null, completedByUserId: data.completed ? actor.userId : null }
    const [updated] = await trx.rows<{ text: string }>(sql`
      update task_items i set completed_at = ${after.completedAt}, completed_by_user_id = ${after.completedByUserId},
        updated_at = ${now}
      where i.organization_id = ${actor.organizationId} and i.id = ${before.id} returning ${taskItemRow} as text`)
    const changes = {
      completedAt: { from: before.completedAt, to: after.completedAt },
      completedByUserId: { from: before.completedByUserId, to: after.completedByUserId },
    }
    trx.event({ type: 'task_item.updated', entityType: 'task_item', entityId: before.id, changes })
    return updated!
  },
})
