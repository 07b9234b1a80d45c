import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { random } from './random.ts'
import { type Draft, type Stamped, stamped } from './rows.ts'
import type { Planned } from './tasks.ts'

type Fields = RecordOf<'task-items'>

/** The requirements of the tasks that have a template, ticked off as far as the work has come. */
export function taskItems(calendar: Calendar, planned: readonly Planned[]): (Fields & Stamped)[] {
  return stamped<Fields>('task-items', calendar, planned.flatMap(itemsOf))
}

function itemsOf({ task, job, template, worker }: Planned): Draft<Fields>[] {
  if (!template) return []
  const draw = random('task items', job.n)
  const all = template.requirements.length
  const ticked =
    task.status === 'completed' ? all : task.status === 'in_progress' || task.status === 'paused' ? draw.int(0, all - 1) : 0
  const at = task.completedAt ?? task.updatedAt
  return template.requirements.map((requirement, rank) => ({
    taskId: task.id,
    ...requirement,
    rank,
    completedAt: rank < ticked ? at : null,
    completedByUserId: rank < ticked ? (task.completedByUserId ?? worker?.userId ?? null) : null,
    made: job.made + rank / 1000,
  }))
}
