import Type from 'typebox'
import { Computed, projection } from '../../db/projection.ts'
import { raw, sql } from '../../db/sql.ts'
import { Nullable, NullableBoolean, NullableString, OneOf, Resource, Text, Uuid } from '../../http/schema.ts'
import { CostItem } from '../cost-items/cost-item.ts'
import { contextFields, contextTexts, TimeEntry } from '../time-entries/time-entry.ts'

const Count = (description: string) => Type.Integer({ description })
const Minutes = (description: string) => Type.Integer({ description: `Whole minutes: ${description}` })
const CentsSum = (description: string) => Type.Integer({ description: `Cents; negative where refunds outweigh: ${description}` })

/** What one member's labour and costs of one local day or week come to (contract, section 2: Cost period row). */
export const CostPeriod = Resource('CostPeriod', {
  periodStart: Type.String({ format: 'date', description: 'The local day, or the Monday of the local week.' }),
  memberId: Nullable(Type.String({ format: 'uuid', description: 'Null for costs that are nobody’s.' })),
  memberFirstName: NullableString,
  memberLastName: NullableString,
  rowCount: Count('Time entries, breaks included, and cost items.'),
  taskCount: Count('Distinct tasks among them.'),
  pendingCount: Count('Those not approved, or decided against.'),
  approvedCount: Count('Those approved.'),
  oldestPendingAt: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Earliest start or incurred time of what is pending; null where nothing is.',
    }),
  ),
  totalDurationMinutes: Minutes('work entries that have ended, without breaks.'),
  paidBreakMinutes: Minutes('breaks that are paid.'),
  unpaidBreakMinutes: Minutes('breaks that are not.'),
  laborCostCents: CentsSum('the time entries, by what they cost.'),
  laborBillableCents: CentsSum('the time entries, by what is billed for them.'),
  nonLaborCostCents: CentsSum('the cost items, by what they cost.'),
  nonLaborBillableCents: CentsSum('the cost items, by what is billed for them.'),
  hasAutoClockOut: Type.Boolean({ description: 'A time entry was ended by the service.' }),
  hasEdits: Nullable(Type.Boolean({ description: 'A time entry was changed after it was recorded.' })),
})

/** A time entry as the contract's Cost day detail has it. */
const { type, startTime, endTime, durationMinutes, attributedCostCents, attributedBillableCents, breakDefinitionId, notes } =
  TimeEntry.properties
const DayEntry = Resource('CostDayEntry', {
  kind: Computed(OneOf(['time_entry'])),
  timeEntryId: Computed(Uuid),
  type,
  startTime,
  endTime,
  durationMinutes,
  attributedCostCents,
  attributedBillableCents,
  isApproved: NullableBoolean,
  breakDefinitionId,
  ...contextFields,
  notes,
})

/** A time entry under the alias `e`. */
export const dayEntryRow = projection(DayEntry, 'e', {
  ...contextTexts('e'),
  kind: raw(`'"time_entry"'`),
  timeEntryId: sql`'"' || e.id || '"'`,
})

const { costType, description, quantity, unitCostCents, flatCostCents, totalCostCents, billableTotalCents, photos } =
  CostItem.properties
const DayCost = Resource('CostDayCost', {
  kind: Computed(OneOf(['cost_only'])),
  costId: Computed(Uuid),
  costType,
  description,
  quantity,
  unitCostCents,
  flatCostCents,
  totalCostCents,
  billableTotalCents,
  isApproved: Type.Boolean(),
  photos,
  ...contextFields,
})

/** A cost item under the alias `c`. */
export const dayCostRow = projection(DayCost, 'c', {
  ...contextTexts('c'),
  kind: raw(`'"cost_only"'`),
  costId: sql`'"' || c.id || '"'`,
  isApproved: sql`coalesce(c.is_approved, false)::text`,
})

/** What one member, or nobody, did and spent on one local day (contract, section 2: Cost day detail). */
export const CostDay = Resource('CostDay', {
  entries: Computed(Type.Array(DayEntry, { description: 'Time entries begun on the day, by start.' })),
  orphanCosts: Computed(
    Type.Array(DayCost, {
      description: 'Cost items of the day that hang on no time entry, by when they were incurred.',
    }),
  ),
})

/** `tz` of a request; see `localDays` for what it takes. */
export const TimeZone = Type.Optional(
  Text({
    minLength: 1,
    maxLength: 100,
    description:
      'An IANA time zone, whose local days are meant. Left out: the organization’s, else UTC. An unknown one is refused (400).',
    examples: ['Europe/Lisbon'],
  }),
)
