import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { TaskTemplate, taskTemplateRow } from './task-template.ts'

export const getTaskTemplate = read({
  route: 'GET /task-templates/{id}',
  id: 'getTaskTemplate',
  summary: 'Read one task template with its groups and checklist items',
  description: 'Groups and items come by rank. A deleted template can still be read; `deletedAt` tells.',
  permission: 'view_task_templates',
  params: IdParams,
  response: TaskTemplate,
  errors: ['task_template_not_found'],

  async handler({ db, actor, params }) {
    const template = await db.one({
      row: taskTemplateRow,
      from: sql`task_templates t where t.organization_id = ${actor.organizationId} and t.id = ${params.id}`,
    })
    if (!template) throw new ApiError('task_template_not_found')
    return template
  },
})
