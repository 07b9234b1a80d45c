import Type, { type Static } from 'typebox'
import { v7 } from 'uuid'
import type { Trx } from '../../db/db.ts'
import { isUuid, type Sql, sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import { write } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import type { Event } from '../../http/events.ts'
import { asInstant, Uuid } from '../../http/schema.ts'
import { assignable, assignableEach, checkReferences, reference, wrongReferences } from '../references.ts'
import { learn, learnWords } from '../search/words.ts'
import { estimateOf, requirementsOf } from '../task-templates/task-template.ts'
import { addItems, distinctIds, newTaskRow, type Requirement, refuseNegativeEstimate, Task, taskInput } from './task.ts'

const { departmentId, name, ...optional } = taskInput

/** Contract, section 4, and `templateId` (docs/decisions.md, "Tasks and templates"). */
const NewTask = Type.Object(
  {
    departmentId,
    name,
    ...Type.Partial(Type.Object(optional)).properties,
    templateId: Type.Optional(Uuid),
  },
  { additionalProperties: false },
)
type NewTask = Static<typeof NewTask>

export const createTask = write({
  route: 'POST /tasks',
  id: 'createTask',
  summary: 'Create a task',
  description: `A template of the department whose name is the task's, whatever the case and surrounding space, is applied; of several
the newest; \`templateId\` names one outright. The task takes the template's name, requirements, skill and estimated time. What the
request says of \`priority\`, \`description\`, \`permissionToEnter\` and \`estTime\` wins over the template.

Without \`propertyId\` the task is at the reservation's property, else at the key's default property. An archived department
takes no new tasks.`,
  permission: 'modify_tasks',
  body: NewTask,
  status: 201,
  response: Type.Object({ task: Task }),
  errors: ['invalid_reference', 'department_archived', 'task_template_deleted', 'negative_number'],

  // With a template there are items to make, and more to tell.
  atOnce({ actor, body, now, go }) {
    const id = v7()
    const plain = sql`${go} and tt.id is null and coalesce(${body.estTime ?? null}::numeric, 0) >= 0`
    return {
      statement: sql`${insertTask(id, actor, body, now, plain)} returning ${answer} as answer`,
      event: created(id, body),
      also: (done) => learn(actor.organizationId, sql`select search_words_of(${body.name}) as words from ${done}`),
    }
  },

  async handler({ trx, actor, body, now }) {
    refuseNegativeEstimate(body.estTime)
    const id = v7()
    const [made] = await trx.rows<Made>(sql`${insertTask(id, actor, body, now)}
      returning ${answer} as answer, t.name, t.template_id as "templateId",
        case when t.template_id is not null then ${requirementsOf(actor.organizationId, sql`t.template_id`)} end as requirements`)
    if (!made) return refuse(trx, actor.organizationId, body)
    const { answer: text, name, templateId, requirements } = made
    learnWords(trx, actor.organizationId, name)
    addItems(trx, { organizationId: actor.organizationId, taskId: id, firstRank: 0, now }, requirements ?? [])
    trx.event(created(id, { ...body, name, ...(templateId ? { templateId } : {}) }))
    return { text }
  },
})

type Made = { answer: string; name: string; templateId: string | null; requirements: Requirement[] | null }

const answer = sql`'{"task":' || ${newTaskRow} || '}'`

function created(id: string, given: NewTask): Event {
  const changes = Object.fromEntries(Object.entries(given).map(([field, to]) => [field, { to }]))
  return { type: 'task.created', entityType: 'task', entityId: id, changes }
}

/** Finds everything that the task `t` depends on and inserts it, in one round trip; no row where something is amiss. */
function insertTask(id: string, actor: Actor, body: NewTask, now: Date, condition: Sql = sql`true`): Sql {
  const { organizationId, userId, defaultPropertyId } = actor
  const completed = body.status === 'completed'
  return sql`
    insert into tasks as t (organization_id, id, name, description, department_id, property_id, property_group_id,
      reservation_id, template_id, required_skill_id, assignee_user_id, assigner_user_id, completed_by_user_id, created_by_id,
      collaborators, images, due, end_time, completed_at, est_time, is_blocking, permission_to_enter, priority, status, type,
      created_at, updated_at)
    select d.organization_id, ${id}, coalesce(tt.name, ${body.name}), coalesce(${body.description ?? null}, tt.description),
      d.id, p.id, p.property_group_id, r.id, tt.id, coalesce(tt.required_skill_id, ${body.requiredSkillId ?? null}),
      ${body.assigneeUserId ?? null}, ${body.assigneeUserId ? userId : null}, ${completed ? userId : null}, ${userId},
      ${distinctIds(body.collaborators ?? []).filter(isUuid)}, ${body.images ?? []}, ${body.due ? asInstant(body.due) : null},
      ${completed ? now : null}, ${completed ? now : null},
      coalesce(${body.estTime ?? null}, ${estimateOf(organizationId, sql`tt.id`, sql`p.id`)}),
      ${body.isBlocking ?? false}, coalesce(${body.permissionToEnter ?? null}, tt.permission_to_enter, false),
      coalesce(${body.priority ?? null}, tt.priority, 'medium'), ${body.status ?? 'not_started'}, d.category, ${now}, ${now}
    from departments d
    left join reservations r on r.organization_id = d.organization_id and r.id = ${body.reservationId ?? null}
    left join properties p on p.organization_id = d.organization_id
      and p.id = coalesce(${body.propertyId ?? null}, r.property_id, ${defaultPropertyId})
    left join lateral (${template(body)}) tt on true
    where d.organization_id = ${organizationId} and d.id = ${body.departmentId}
      and d.archived_at is null and tt.deleted_at is null and ${condition}
      and not exists (select from (${wrongReferences(references(organizationId, body))}) wrong)`
}

/** The template named outright, deleted or not; else the newest of the department `d` with the task's name. */
function template({ templateId, name }: NewTask): Sql {
  if (templateId) return sql`select * from task_templates where organization_id = d.organization_id and id = ${templateId}`
  return sql`select * from task_templates
    where organization_id = d.organization_id and department_id = d.id and lower(btrim(name)) = lower(btrim(${name}))
      and deleted_at is null
    order by created_at desc, id desc limit 1`
}

function references(organizationId: string, body: NewTask): (Sql | undefined)[] {
  return [
    reference('departmentId', 'departments', organizationId, body.departmentId),
    reference('propertyId', 'properties', organizationId, body.propertyId),
    reference('reservationId', 'reservations', organizationId, body.reservationId),
    reference('templateId', 'task_templates', organizationId, body.templateId),
    assignable('assigneeUserId', organizationId, body.assigneeUserId),
    body.collaborators && assignableEach(organizationId, body.collaborators),
  ]
}

/** Says why the task could not be made. */
async function refuse(trx: Trx, organizationId: string, body: NewTask): Promise<never> {
  const [, [found]] = await Promise.all([
    checkReferences(trx, references(organizationId, body)),
    trx.rows<{ isArchived: boolean; isDeleted: boolean }>(sql`
      select d.archived_at is not null as "isArchived", tt.deleted_at is not null as "isDeleted"
      from departments d left join lateral (${template(body)}) tt on true
      where d.organization_id = ${organizationId} and d.id = ${body.departmentId}`),
  ])
  if (found?.isArchived) throw new ApiError('department_archived', { field: 'departmentId' })
  if (found?.isDeleted) throw new ApiError('task_template_deleted', { field: 'templateId' })
  // What was amiss has been put right since: the next try will do.
  throw new ApiError('overloaded')
}
