import Type from 'typebox'
import { Department, languages } from '../../api/departments/department.ts'
import { Member } from '../../api/members/member.ts'
import { taskPriorities } from '../../api/tasks/task.ts'
import { permissions } from '../../http/permissions.ts'
import { Nullable, NullableDateTime, OneOf, Text, Uuid } from '../../http/schema.ts'
import { departmentLink, idLink, translationLink } from '../link.ts'
import {
  fieldsOf,
  NullableCents,
  NullableEmail,
  NullableLongText,
  NullableText,
  NullableUrl,
  type RecordFile,
  record,
  Stamps,
} from '../record.ts'

export const userGroups = {
  table: 'user_groups',
  about: 'Groups of members, by which members can be filtered.',
  schema: record({ id: Uuid, name: Text(), ...Stamps }, { required: ['id', 'name'] }),
} satisfies RecordFile

const Translation = Type.Object(
  { name: Type.Optional(NullableText), description: Type.Optional(NullableLongText) },
  { additionalProperties: false },
)
const Translations = Type.Object(
  Object.fromEntries(languages.map((language) => [language, Type.Optional(Translation)])) as {
    [L in (typeof languages)[number]]: ReturnType<typeof Type.Optional<typeof Translation>>
  },
  { additionalProperties: false },
)

export const departments = {
  table: 'departments',
  about: 'Departments; tasks belong to one.',
  schema: record(
    {
      ...fieldsOf(Department, { computed: ['activeTaskCount', 'memberCount', 'managerNames'], long: ['description'] }),
      blockingPriority: Nullable(OneOf(taskPriorities)),
      translations: Translations,
    },
    { required: ['id'], defaults: { translations: {} } },
  ),
  links: [translationLink],
} satisfies RecordFile

const MemberDepartment = Type.Object(
  { id: Uuid, isManager: Type.Optional(Type.Boolean({ default: false })) },
  { additionalProperties: false },
)

export const members = {
  table: 'members',
  about: 'Team members. A member is invited until `joinedAt`, and active from then until `deactivatedAt`.',
  schema: record(
    {
      id: Uuid,
      ...fieldsOf(Member, { computed: ['memberId', 'isActive', 'departments'] }),
      email: NullableEmail,
      avatarUrl: NullableUrl,
      permissions: Type.Array(OneOf(permissions), {
        maxItems: 200,
        description: "The role's own permissions where left out; a deactivated member has none.",
      }),
      hourlyCostCents: NullableCents,
      hourlyBillableCents: NullableCents,
      departments: Type.Array(MemberDepartment, { maxItems: 1000 }),
      propertyGroupIds: Type.Array(Uuid, { maxItems: 1000, description: 'None means access to all of them.' }),
      userGroupIds: Type.Array(Uuid, { maxItems: 1000 }),
      invitedAt: NullableDateTime,
      deactivatedAt: NullableDateTime,
      ...Stamps,
    },
    {
      required: ['id', 'userId', 'role'],
      defaults: { memberType: 'internal', departments: [], propertyGroupIds: [], userGroupIds: [] },
    },
  ),
  references: { departments: 'departments', propertyGroupIds: 'property-groups', userGroupIds: 'user-groups' },
  release: { set: 'email = null', where: 't.email is not null and lower(t.email) is distinct from lower(g.email)' },
  links: [
    departmentLink,
    idLink({ field: 'propertyGroupIds', table: 'member_property_groups', owner: 'member_id', key: 'property_group_id' }),
    idLink({ field: 'userGroupIds', table: 'user_group_members', owner: 'member_id', key: 'user_group_id' }),
  ],
} satisfies RecordFile
