import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { TaskDetail, taskDetailRow } from './task.ts'

export const getTask = read({
  route: 'GET /tasks/{id}',
  id: 'getTask',
  summary: 'Read one task with its items',
  description: 'A deleted task can still be read; `deletedAt` tells.',
  permission: 'view_tasks',
  extension: true,
  params: IdParams,
  response: TaskDetail,
  errors: ['task_not_found'],

  async handler({ db, actor, params }) {
    const task = await db.one({
      row: taskDetailRow,
      from: sql`tasks t where t.organization_id = ${actor.organizationId} and t.id = ${params.id}`,
    })
    if (!task) throw new ApiError('task_not_found')
    return task
  },
})
