import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { departmentId, departmentTexts } from './departments.ts'
import { userIdOf } from './members.ts'
import { lettable } from './properties.ts'
import { random } from './random.ts'
import { type Draft, demoId, type Stamped, stamped } from './rows.ts'
import { type TemplateText, templateTexts } from './template-texts.ts'

type TemplateGroup = RecordOf<'task-template-groups'> & Stamped
type Item = RecordOf<'checklist-items'> & Stamped

/** A template as its tasks need it: what they are called, take and ask for. */
export type Template = { id: string; name: string; text: TemplateText; requirements: Requirement[]; skillId: string | null }
export type Requirement = {
  checklistItemId: string
  groupTitle: string | null
  description: string | null
  photoRequired: boolean
}

const day = 24 * 60
const madeOn = (n: number): number => (-1050 + n * 32) * day + 540

/** Skills are known by their ids alone. */
const skills: Partial<Record<string, string>> = { 'Boiler service': demoId('skills', 0), 'Pool service': demoId('skills', 1) }

const html = (text: string): string => `<p>${text.replace('; ', ';<br>')}</p>`

export function taskTemplates(calendar: Calendar) {
  const templates = stamped<RecordOf<'task-templates'>>(
    'task-templates',
    calendar,
    templateTexts.map((text, n) => template(text, n, calendar)),
  )
  const groups = stamped<RecordOf<'task-template-groups'>>('task-template-groups', calendar, templateTexts.flatMap(groupDrafts))
  const items = stamped<RecordOf<'checklist-items'>>('checklist-items', calendar, groups.flatMap(itemDrafts))
  const rates = stamped<RecordOf<'task-rates'>>('task-rates', calendar, templateTexts.flatMap(rateDrafts))
  return { templates, groups, items, rates, byName: index(groups, items) }
}

function template(text: TemplateText, n: number, calendar: Calendar): Draft<RecordOf<'task-templates'>> {
  const languages = Object.keys(departmentTexts[text.department].translations ?? {})
  return {
    name: text.name,
    nameText: text.name.trim(),
    description: text.description && html(text.description),
    descriptionText: text.description,
    departmentId: departmentId(text.department),
    priority: text.priority,
    permissionToEnter: text.department === 'housekeeping' ? true : text.department === 'owners' ? null : false,
    requiredSkillId: skills[text.name] ?? null,
    isAdminTemplate: n % 6 === 3,
    createdById: n % 5 === 4 ? null : userIdOf([0, 2, 3, 4][n % 4]!),
    deletedAt: text.deleted === undefined ? null : calendar.minute(-text.deleted * day),
    translationCoverage: Object.fromEntries(
      languages.map((language, i) => [language, i === 0 ? 1 : Math.round(100 / (i + 1)) / 100]),
    ),
    translationFieldCount: languages.length === 0 ? 0 : 2 + Object.values(text.groups).join('; ').split('; ').length,
    made: madeOn(n),
    changed: -(text.deleted ?? 12 + n) * day,
  }
}

/** Groups and items are made with their template, minute by minute, in the order of their ranks. */
function groupDrafts({ groups, deleted }: TemplateText, n: number): Draft<RecordOf<'task-template-groups'>>[] {
  return Object.keys(groups).map((title, rank) => ({
    templateId: demoId('task-templates', n),
    type: 'checklist',
    titleText: title.replace('*', ''),
    rank,
    reference: rank === 0 && n % 4 === 0 ? `CA-${n + 1}.${rank + 1}` : null,
    isArchived: n === 8 || (deleted !== undefined && rank > 0),
    targetLevel: n % 3 === 0 ? 'property' : null,
    photoRequired: title.endsWith('*'),
    photoRequirement: title.endsWith('*') ? 'one_per_group' : null,
    photoAiVerificationPromptText: title === 'Bedrooms*' ? 'Every bed is made and no linen lies on the floor.' : null,
    userCreated: n % 6 !== 3,
    createdById: userIdOf(2),
    made: madeOn(n) + rank + 1,
  }))
}

const itemTexts = templateTexts.flatMap(({ groups }) => Object.values(groups).map((items) => items.split('; ')))

function itemDrafts({ id, templateId }: TemplateGroup, groupNumber: number): Draft<RecordOf<'checklist-items'>>[] {
  const templateNumber = templateTexts.findIndex((_, n) => demoId('task-templates', n) === templateId)
  return itemTexts[groupNumber]!.map((descriptionText, rank) => ({
    groupId: id,
    templateId,
    descriptionText,
    rank,
    userCreated: templateNumber % 6 !== 3,
    createdById: userIdOf(2),
    made: madeOn(templateNumber) + 10 + groupNumber + rank / 60,
  }))
}

/** One rate for all houses, and some for the houses that are larger. */
function rateDrafts({ minutes, department }: TemplateText, n: number): Draft<RecordOf<'task-rates'>>[] {
  if (minutes === null) return []
  const templateId = demoId('task-templates', n)
  const rate = (estimatedMinutes: number, propertyId: string | null) => ({
    templateId,
    propertyId,
    estimatedMinutes,
    costCents: department === 'pests' ? null : estimatedMinutes * 16,
    billableCents: random('rates', n).chance(0.8) ? estimatedMinutes * 34 : null,
    made: madeOn(n) + 60 + (propertyId ? 1 : 0),
  })
  const large =
    ['housekeeping', 'inspections'].includes(department) && n % 3 === 0
      ? lettable.filter(({ house }) => (house.bedrooms ?? 0) >= 5)
      : []
  return [rate(minutes, null), ...large.map(({ id }) => rate(minutes * 2, id))]
}

/** The newest template of each department and name that is not deleted, as `housekeeping/checkout clean`. */
function index(groups: readonly TemplateGroup[], items: readonly Item[]): Map<string, Template> {
  const found = new Map<string, Template>()
  for (const [n, text] of templateTexts.entries()) {
    if (text.deleted !== undefined) continue
    const id = demoId('task-templates', n)
    const requirements = groups
      .filter(({ templateId, isArchived }) => templateId === id && !isArchived)
      .flatMap((group) => items.filter(({ groupId }) => groupId === group.id).map((item) => requirement(group, item)))
    const name = text.name.trim()
    found.set(`${text.department}/${name.toLowerCase()}`, {
      id,
      name: text.name,
      text,
      requirements,
      skillId: skills[name] ?? null,
    })
  }
  return found
}

const requirement = (group: TemplateGroup, item: Item): Requirement => ({
  checklistItemId: item.id,
  groupTitle: group.titleText ?? null,
  description: item.descriptionText ?? null,
  photoRequired: group.photoRequired ?? false,
})
