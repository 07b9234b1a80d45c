import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { v7 } from 'uuid'
import { organization, testServer } from '../../../test/helper.ts'
import { TaskTemplate } from './task-template.ts'

const { client, make, owner, database } = await testServer()

const cleans = await make('departments', { name: 'Cleans' })

/** Contract, section 2. */
const templateFields = [
  ...['id', 'name', 'nameText', 'description', 'descriptionText', 'departmentId', 'priority', 'permissionToEnter'],
  ...['requiredSkillId', 'isAdminTemplate', 'createdById', 'deletedAt', 'translationCoverage', 'translationFieldCount'],
  ...['createdAt', 'updatedAt', 'groups'],
]
const groupFields = [
  ...['id', 'templateId', 'type', 'titleText', 'rank', 'reference', 'isArchived', 'optionSetId', 'parentCategoryId'],
  ...['targetCategoryId', 'targetLevel', 'photoRequired', 'photoRequirement', 'photoAiVerificationPromptText', 'userCreated'],
  ...['createdById', 'createdAt', 'updatedAt', 'checklistItems'],
]
const itemFields = [
  ...['id', 'groupId', 'templateId', 'descriptionText', 'optionGroupId', 'rank', 'userCreated', 'createdById'],
  ...['createdAt', 'updatedAt'],
]

const times = { createdAt: '2026-03-01T08:00:00.000Z', updatedAt: '2026-03-02T09:30:00.125Z' }
const wholeTemplate = {
  name: 'Turnover "clean"',
  nameText: 'Turnover clean',
  description: '<p>All of it</p>',
  descriptionText: 'All\nof it',
  departmentId: cleans.id,
  priority: 'watch',
  permissionToEnter: true,
  requiredSkillId: v7(),
  isAdminTemplate: false,
  createdById: owner.userId,
  deletedAt: '2026-05-01T00:00:00.000Z',
  translationCoverage: { es: 1, 'zh-"x"': 0.25 },
  translationFieldCount: 12,
  ...times,
}
const wholeGroup = {
  type: 'room',
  titleText: 'Bathroom \\ WC',
  rank: 2,
  reference: 'bath',
  isArchived: true,
  optionSetId: v7(),
  parentCategoryId: v7(),
  targetCategoryId: v7(),
  targetLevel: 'property',
  photoRequired: true,
  photoRequirement: 'after',
  photoAiVerificationPromptText: 'Is the mirror clean?',
  userCreated: true,
  createdById: owner.userId,
  ...times,
}
const wholeItem = {
  descriptionText: 'Scrub',
  optionGroupId: v7(),
  rank: 0.5,
  userCreated: false,
  createdById: owner.userId,
  ...times,
}

test('a template answers every field of the contract, its groups and their checklist items too', async () => {
  const template = await make('task_templates', wholeTemplate)
  const group = await make('task_template_groups', { templateId: template.id, ...wholeGroup })
  const item = await make('checklist_items', { templateId: template.id, groupId: group.id, ...wholeItem })

  const { status, data } = await client('GET /task-templates/{id}', { id: template.id })

  assert.equal(status, 200)
  assert.deepEqual(Object.keys(data), templateFields)
  assert.deepEqual(Object.keys(data.groups[0]), groupFields)
  assert.deepEqual(Object.keys(data.groups[0].checklistItems[0]), itemFields)
  const items = [{ id: item.id, templateId: template.id, groupId: group.id, ...wholeItem }]
  const groups = [{ id: group.id, templateId: template.id, ...wholeGroup, checklistItems: items }]
  assert.deepEqual(data, { id: template.id, ...wholeTemplate, groups })
})

test('what is not known is null, and every field is there all the same', async () => {
  const template = await make('task_templates', { name: 'Bare', departmentId: cleans.id })
  const group = await make('task_template_groups', { templateId: template.id })
  await make('checklist_items', { templateId: template.id, groupId: group.id })

  const { data } = await client('GET /task-templates/{id}', { id: template.id })

  assert.deepEqual(Object.keys(data), templateFields)
  assert.deepEqual(Object.keys(data.groups[0]), groupFields)
  assert.deepEqual(Object.keys(data.groups[0].checklistItems[0]), itemFields)
  assert.deepEqual(data.translationCoverage, {})
  assert.equal(data.nameText, null)
  assert.equal(data.groups[0].rank, null)
  assert.equal(data.groups[0].checklistItems[0].rank, null)
  assert.ok(Compile(TaskTemplate).Check(data))
})

test('groups come by rank, and so do the items of each', async () => {
  const template = await make('task_templates', { name: 'Clean', departmentId: cleans.id })
  const another = await make('task_templates', { name: 'Other', departmentId: cleans.id })
  const group = (titleText: string, rank: number | null, templateId = template.id) =>
    make('task_template_groups', { templateId, titleText, rank })
  const last = await group('unranked', null)
  const kitchen = await group('kitchen', 10)
  const bath = await group('bath', 2)
  await group('elsewhere', 0, another.id)
  const item = (groupId: string, descriptionText: string, rank: number | null) =>
    make('checklist_items', { templateId: template.id, groupId, descriptionText, rank })
  await item(kitchen.id, 'oven', 20)
  await item(bath.id, 'mirror', null)
  await item(bath.id, 'tiles', 3)
  await item(kitchen.id, 'sink', 9)

  const { data } = await client('GET /task-templates/{id}', { id: template.id })

  const seen = data.groups.map((one: { titleText: string; checklistItems: { descriptionText: string }[] }) => [
    one.titleText,
    one.checklistItems.map((each) => each.descriptionText),
  ])
  assert.deepEqual(seen, [
    ['bath', ['tiles', 'mirror']],
    ['kitchen', ['sink', 'oven']],
    ['unranked', []],
  ])
  assert.equal(data.groups[2].id, last.id)
})

test("another organization's template does not exist", async () => {
  const other = await organization(database)
  const department = await other.make('departments', { name: 'Cleans' })
  const template = await other.make('task_templates', { name: 'Clean', departmentId: department.id })

  const answer = await client('GET /task-templates/{id}', { id: template.id })

  assert.equal(answer.status, 404)
  assert.equal(answer.error.code, 'task_template_not_found')
})
