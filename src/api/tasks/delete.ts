import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams, Success } from '../../http/schema.ts'

export const deleteTask = write({
  route: 'DELETE /tasks/{id}',
  id: 'deleteTask',
  summary: 'Delete a task',
  description:
    'The task leaves the lists and counts, with `deletedAt` set; it can still be read, and its costs stay. Deleting it again changes nothing.',
  permission: 'delete_tasks',
  extension: true,
  params: IdParams,
  body: EmptyBody,
  response: Success,
  errors: ['task_not_found'],

  async handler({ trx, actor, params, now }) {
    const [task] = await trx.rows<{ deletedAt: Date | null }>(sql`
      select t.deleted_at as "deletedAt" from tasks t
      where t.organization_id = ${actor.organizationId} and t.id = ${params.id} for update`)
    if (!task) throw new ApiError('task_not_found')
    if (task.deletedAt) return { success: true }
    await trx.run(sql`update tasks set deleted_at = ${now}, updated_at = ${now}
      where organization_id = ${actor.organizationId} and id = ${params.id}`)
    const changes = { deletedAt: { from: null, to: now } }
    trx.event({ type: 'task.deleted', entityType: 'task', entityId: params.id.toLowerCase(), changes })
    return { success: true }
  },
})
