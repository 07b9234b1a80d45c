import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type DepartmentKey, departmentId, departmentTexts } from './departments.ts'
import { type Job, jobs } from './jobs.ts'
import { userIdOf, type Worker, workers, worksIn } from './members.ts'
import { propertyGroupId } from './property-groups.ts'
import { type Random, random } from './random.ts'
import type { Booked } from './reservations.ts'
import { type Draft, demoId, type Made, type Stamped, stamped } from './rows.ts'
import type { Template } from './task-templates.ts'

export type Task = RecordOf<'tasks'> & Stamped
/** A task with the job and the template that it comes from, and whose work it is. */
export type Planned = { task: Task; job: Job; template: Template | null; worker: Worker | null }

type Fields = RecordOf<'tasks'>
type Status = NonNullable<Fields['status']>
type Priority = NonNullable<Fields['priority']>

const day = 24 * 60

/** Templates are applied since four weeks ago; tasks from before have neither template nor items. */
const templatesSince = -28

export function tasks(calendar: Calendar, booked: readonly Booked[], templates: ReadonlyMap<string, Template>): Planned[] {
  const team = workers()
  const plans = jobs(booked)
    .map((job) => plan(job, team, templates))
    .toSorted((a, b) => a.job.made - b.job.made)
  const rows = stamped<Fields>(
    'tasks',
    calendar,
    plans.map((one) => draft(one, calendar)),
  )
  return rows.map((task, n) => ({ ...plans[n]!, task }))
}

type Plan = { job: Job; template: Template | null; worker: Worker | null; status: Status; draw: Random }

function plan(job: Job, team: readonly Worker[], templates: ReadonlyMap<string, Template>): Plan {
  const draw = random('tasks', job.n)
  const recent = job.day === null || job.day >= templatesSince
  const template = recent ? (templates.get(`${job.department}/${job.name.toLowerCase()}`) ?? null) : null
  const status = statusOf(job, draw)
  return { job, template, worker: workerOf(job, status, team, draw), status, draw }
}

function statusOf({ day: due }: Job, draw: Random): Status {
  const at = draw.next()
  // Shares of each status, in order; what they leave of the whole has not been started.
  const of = (...shares: (readonly [Status, number])[]): Status => {
    let sum = 0
    for (const [status, share] of shares) {
      sum += share
      if (at < sum) return status
    }
    return 'not_started'
  }
  if (due === null) return of(['triage', 0.85], ['cancelled', 0.08])
  if (due < -14) return of(['completed', 0.955], ['cancelled', 0.04], ['paused', 0.005])
  if (due < -1) return of(['completed', 0.88], ['cancelled', 0.03], ['in_progress', 0.02], ['paused', 0.03])
  if (due < 0) return of(['completed', 0.8], ['in_progress', 0.08], ['paused', 0.03])
  if (due === 0) return of(['completed', 0.15], ['in_progress', 0.25], ['paused', 0.03])
  return of(['not_started', 0.94], ['triage', 0.03])
}

function workerOf({ department, group, day: due }: Job, status: Status, team: readonly Worker[], draw: Random): Worker | null {
  const open = status === 'triage' ? 0.9 : status === 'completed' || status === 'in_progress' ? 0.01 : (due ?? 0) > 2 ? 0.4 : 0.12
  if (draw.chance(open)) return null
  // What is still open belongs to someone who is still here.
  const last = status === 'completed' || status === 'cancelled' ? (due ?? 0) : 0
  const able = team.filter((worker) => last <= worker.until && worksIn(worker, department, group ?? undefined))
  return able.length > 0 ? draw.pick(able) : null
}

function draft({ job, template, worker, status, draw }: Plan, calendar: Calendar): Draft<Fields> {
  const { place, group, booked, series } = job
  const done = status === 'completed' ? doneAt(job, draw) : null
  const deletedAt = draw.chance(status === 'completed' ? 0.008 : 0.03) ? Math.min(job.made + draw.int(60, 4000), -300) : null
  const assignee = worker?.userId ?? null
  const assigner = assignee && draw.chance(0.6) ? userIdOf(draw.pick([2, 3, 4, 20])) : null
  return {
    name: template?.name ?? job.name,
    description: job.description ?? template?.text.description ?? null,
    departmentId: departmentId(job.department),
    propertyId: place?.id ?? null,
    propertyGroupId: group && propertyGroupId(group),
    reservationId: booked?.reservation.id ?? null,
    templateId: template?.id ?? null,
    scheduleId: series && demoId(`schedules/${series}`, 0),
    requiredSkillId: template?.skillId ?? null,
    assigneeUserId: assignee,
    assignerUserId: assigner,
    completedByUserId: done === null ? null : (assignee ?? userIdOf(2)),
    createdById: series || booked ? null : (assigner ?? userIdOf(draw.pick([0, 2, 3]))),
    ...whenOf(job, template, calendar, draw),
    completedAt: done === null ? null : instant(calendar, done),
    deletedAt: deletedAt === null ? null : calendar.minute(deletedAt),
    ...extrasOf(job, draw),
    isRecurring: series !== null,
    priority: draw.chance(0.02) ? null : priorityOf(job, template, draw),
    status,
    type: departmentTexts[job.department].category ?? null,
    made: job.made,
    changed: deletedAt ?? done ?? Math.max(job.made, Math.min(job.day ?? -2, -2) * day),
  }
}

const instant = (calendar: Calendar, made: Made): string =>
  typeof made === 'number' ? calendar.minute(made) : calendar.ago(made.ago)

/** On its day, in the hours after noon; what is done today was done within the last two hours. */
function doneAt({ day: due }: Job, draw: Random): Made {
  return due === 0 || due === null ? { ago: draw.int(5, 110) } : due * day + draw.int(11 * 60, 20 * 60)
}

function whenOf(
  { day: due, hour, place, department }: Job,
  template: Template | null,
  calendar: Calendar,
  draw: Random,
): Partial<Fields> {
  const zone = place?.zone ?? 'Europe/Lisbon'
  const minutes = template?.text.minutes ?? (draw.chance(0.3) ? draw.int(1, 16) * 15 : null)
  return {
    due: due === null ? null : calendar.at(due, hour, zone),
    endTime:
      due === null || minutes === null || department === 'housekeeping' ? null : calendar.at(due, hour + minutes / 60, zone),
    estTime: minutes === null ? null : draw.chance(0.02) ? `${minutes}.5` : `${minutes}`,
    isTimeAdded: draw.chance(0.08),
  }
}

const priorities: Partial<Record<DepartmentKey, readonly Priority[]>> = {
  maintenance: ['watch', 'low', 'medium', 'medium', 'high', 'urgent'],
  projects: ['watch', 'low'],
}

const priorityOf = ({ department }: Job, template: Template | null, draw: Random): Priority =>
  draw.chance(department === 'maintenance' ? 0.6 : 0.2)
    ? draw.pick(priorities[department] ?? ['low', 'medium', 'high'])
    : (template?.text.priority ?? 'medium')

function extrasOf({ n, department, place }: Job, draw: Random): Partial<Fields> {
  const broken = department === 'maintenance'
  const photos = draw.chance(broken ? 0.35 : 0.04) ? draw.int(1, 3) : 0
  return {
    collaborators: draw.chance(0.07) ? [...new Set([userIdOf(draw.int(3, 8)), userIdOf(draw.int(10, 20))])] : [],
    images: Array.from({ length: photos }, (_, i) => `https://casa-aurora.example/photos/${n}-${i + 1}.jpg`),
    financialApprovalStatus: broken && draw.chance(0.2) ? draw.pick(['pending', 'approved', 'approved', 'rejected']) : null,
    isBlocking: place !== null && draw.chance(broken ? 0.12 : 0.03),
    permissionToEnter: draw.chance(broken ? 0.5 : 0.1),
    publicEnabled: draw.chance(0.02),
  }
}
