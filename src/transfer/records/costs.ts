import Type from 'typebox'
import { DateTime, Nullable, NullableBoolean, NullableDateTime, NullableUuid, OneOf, Text, Uuid } from '../../http/schema.ts'
import {
  Cents,
  NullableCents,
  NullableCount,
  NullableDecimal,
  NullableLongText,
  type RecordFile,
  record,
  Stamps,
  Url,
} from '../record.ts'

export const breakDefinitions = {
  table: 'break_definitions',
  about: 'Kinds of breaks, paid or not.',
  schema: record(
    { id: Uuid, name: Text(), isPaid: Type.Boolean(), durationMinutes: NullableCount, ...Stamps },
    { required: ['id', 'name', 'isPaid'] },
  ),
} satisfies RecordFile

export const timeEntries = {
  table: 'time_entries',
  about: 'Clocked work and breaks of members. A running entry has neither `endTime` nor `durationMinutes`.',
  schema: record(
    {
      id: Uuid,
      memberId: Uuid,
      type: OneOf(['work', 'break']),
      startTime: DateTime,
      endTime: NullableDateTime,
      durationMinutes: NullableCount,
      attributedCostCents: NullableCents,
      attributedBillableCents: NullableCents,
      isApproved: NullableBoolean,
      breakDefinitionId: NullableUuid,
      departmentId: NullableUuid,
      propertyId: NullableUuid,
      taskId: NullableUuid,
      notes: NullableLongText,
      isAutoClockedOut: Type.Boolean(),
      editedAt: NullableDateTime,
      ...Stamps,
    },
    { required: ['id', 'memberId', 'startTime'], defaults: { type: 'work', isAutoClockedOut: false } },
  ),
  references: {
    memberId: 'members',
    breakDefinitionId: 'break-definitions',
    departmentId: 'departments',
    propertyId: 'properties',
    taskId: 'tasks',
  },
} satisfies RecordFile

export const costItems = {
  table: 'cost_items',
  about: 'Materials, expenses and other costs. Without `memberId` they are nobody’s; without `timeEntryId`, orphan costs.',
  schema: record(
    {
      id: Uuid,
      memberId: NullableUuid,
      timeEntryId: NullableUuid,
      costType: OneOf(['material', 'expense', 'other']),
      description: NullableLongText,
      quantity: NullableDecimal,
      unitCostCents: NullableCents,
      flatCostCents: NullableCents,
      totalCostCents: Cents,
      billableTotalCents: NullableCents,
      isApproved: NullableBoolean,
      photos: Nullable(Type.Array(Url, { maxItems: 200 })),
      departmentId: NullableUuid,
      propertyId: NullableUuid,
      taskId: NullableUuid,
      incurredAt: DateTime,
      editedAt: NullableDateTime,
      ...Stamps,
    },
    { required: ['id', 'costType', 'totalCostCents', 'incurredAt'] },
  ),
  references: {
    memberId: 'members',
    timeEntryId: 'time-entries',
    departmentId: 'departments',
    propertyId: 'properties',
    taskId: 'tasks',
  },
} satisfies RecordFile
