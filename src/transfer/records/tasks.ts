import Type from 'typebox'
import { TaskDetail, TaskItem } from '../../api/tasks/task.ts'
import { Nullable, NullableDateTime, Text, Uuid } from '../../http/schema.ts'
import { fieldsOf, type RecordFile, record, Url } from '../record.ts'

export const tasks = {
  table: 'tasks',
  about: 'Tasks. People are named by their `userId`.',
  schema: record(
    {
      ...fieldsOf(TaskDetail, { computed: ['estTime', 'isUnassigned', 'totalCost', 'items'], long: ['description'] }),
      name: Text({ minLength: 1 }),
      collaborators: Type.Array(Uuid, { maxItems: 200 }),
      images: Type.Array(Url, { maxItems: 200 }),
      completedAt: NullableDateTime,
      estTime: Nullable(
        Type.String({ description: 'Minutes, a decimal number.', pattern: '^[0-9]{1,400}(\\.[0-9]{1,400})?$', maxLength: 802 }),
      ),
      isBlocking: Type.Boolean(),
      isRecurring: Type.Boolean(),
      isTimeAdded: Type.Boolean(),
      permissionToEnter: Type.Boolean(),
    },
    {
      required: ['id', 'name', 'departmentId'],
      defaults: {
        collaborators: [],
        images: [],
        isBlocking: false,
        isRecurring: false,
        isTimeAdded: false,
        permissionToEnter: false,
        publicEnabled: false,
      },
    },
  ),
  references: {
    departmentId: 'departments',
    propertyId: 'properties',
    propertyGroupId: 'property-groups',
    reservationId: 'reservations',
    templateId: 'task-templates',
    assigneeUserId: 'users',
    assignerUserId: 'users',
    completedByUserId: 'users',
    createdById: 'users',
    collaborators: 'users',
  },
} satisfies RecordFile

export const taskItems = {
  table: 'task_items',
  about: 'The requirements of a task; `checklistItemId` names the item of the template they came from, if any.',
  schema: record(
    { ...fieldsOf(TaskItem, { long: ['description'] }), taskId: Uuid },
    { required: ['id', 'taskId', 'rank'], defaults: { photoRequired: false } },
  ),
  references: { taskId: 'tasks', completedByUserId: 'users' },
} satisfies RecordFile
