import Type from 'typebox'
import { sql } from '../../db/sql.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { Uuid } from '../../http/schema.ts'
import { reference, refuseWrong, type WrongReference, wrongReferences } from '../references.ts'
import { requirementsOf } from '../task-templates/task-template.ts'
import { addItems, type Requirement } from '../tasks/task.ts'

export const applyTaskTemplate = write({
  route: 'POST /task-template-applications',
  id: 'applyTaskTemplate',
  summary: "Apply a template's requirements to an existing task",
  description: `The task gets the template's checklist items and is bound to it; its name, estimate and other fields stay as they are.
With \`replace\` its present items, completed ones too, and its binding go first. Any template of the organization fits any task.`,
  permission: 'modify_tasks',
  body: Type.Object(
    {
      taskId: Uuid,
      templateId: Uuid,
      replace: Type.Optional(Type.Boolean({ description: 'Swap out what the task has now.' })),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    itemCount: Type.Number(),
    taskItemIds: Type.Array(Type.String(), { description: 'The new items, in order.' }),
  }),
  errors: ['invalid_reference', 'task_deleted', 'task_template_deleted', 'template_already_applied'],

  async handler({ trx, actor: { organizationId }, body, now }) {
    const ofTask = sql`organization_id = ${organizationId} and task_id = ${body.taskId}`
    // The lock comes first: what is read after it is what the one before has left.
    const [[task], [template], wrong] = await Promise.all([
      trx.rows<{ id: string; templateId: string | null; isDeleted: boolean }>(sql`
        select id, template_id as "templateId", deleted_at is not null as "isDeleted" from tasks
        where organization_id = ${organizationId} and id = ${body.taskId} for update`),
      trx.rows<{ id: string; isDeleted: boolean; requirements: Requirement[] | null; firstRank: number }>(sql`
        select tt.id, tt.deleted_at is not null as "isDeleted", ${requirementsOf(organizationId, sql`tt.id`)} as requirements,
          (select coalesce(ceil(max(rank)) + 1, 0)::float8 from task_items where ${ofTask}) as "firstRank"
        from task_templates tt where tt.organization_id = ${organizationId} and tt.id = ${body.templateId}`),
      trx.rows<WrongReference>(
        wrongReferences([
          reference('taskId', 'tasks', organizationId, body.taskId),
          reference('templateId', 'task_templates', organizationId, body.templateId),
        ]),
      ),
    ])
    refuseWrong(wrong)
    const { id: taskId, templateId: from, isDeleted } = task!
    if (isDeleted) throw new ApiError('task_deleted')
    const { id: to, isDeleted: isTemplateDeleted, requirements, firstRank } = template!
    if (isTemplateDeleted) throw new ApiError('task_template_deleted', { field: 'templateId' })
    if (from && !body.replace) throw new ApiError('template_already_applied', { templateId: from })

    if (body.replace) trx.run(sql`delete from task_items where ${ofTask}`).catch(() => {})
    trx
      .run(sql`update tasks set template_id = ${to}, updated_at = ${now}
      where organization_id = ${organizationId} and id = ${taskId}`)
      .catch(() => {})
    const place = { organizationId, taskId, firstRank: body.replace ? 0 : firstRank, now }
    const taskItemIds = addItems(trx, place, requirements ?? [])
    const changes = { templateId: { from, to }, itemCount: { to: taskItemIds.length } }
    trx.event({ type: 'task.template_applied', entityType: 'task', entityId: taskId, changes })
    return { itemCount: taskItemIds.length, taskItemIds }
  },
})
