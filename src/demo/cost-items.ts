import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { type DepartmentKey, departmentId } from './departments.ts'
import { lettable } from './properties.ts'
import { type Random, random } from './random.ts'
import { type Draft, type Stamped, stamped } from './rows.ts'
import type { Planned } from './tasks.ts'
import type { Clocked } from './time-entries.ts'

type Fields = RecordOf<'cost-items'>

const day = 24 * 60
const orphanCount = 380

/** What was bought: on the clock, by someone without clocking in, or by nobody in particular. */
export function costItems(calendar: Calendar, clocked: readonly Clocked[], planned: readonly Planned[]): (Fields & Stamped)[] {
  const paid = planned.filter(({ task, job }) => task.status === 'completed' && job.day !== null && job.day < 0)
  return stamped<Fields>('cost-items', calendar, [
    ...clocked.flatMap(onTheClock),
    ...Array.from({ length: orphanCount }, (_, n) => orphan(n, paid, calendar)),
    ...refunds.map((refund, n) => refundItem(refund, n, calendar)),
  ])
}

type Ware = readonly [
  costType: Fields['costType'],
  description: string,
  unitCents: number | null,
  unit: 'pieces' | 'amount' | 'flat',
]
const repairs: readonly Ware[] = [
  ['material', 'Tap cartridge', 1_890, 'pieces'],
  ['material', 'Silicone, white', 645, 'pieces'],
  ['material', 'Sika 11FC, grey', 899, 'pieces'],
  ['material', 'Copper pipe 15 mm, metre', 720, 'amount'],
  ['material', 'AA cells, four', 499, 'pieces'],
  ['material', 'Chlorine, kilogram', 610, 'amount'],
  ['expense', 'Parking', null, 'flat'],
  ['other', 'Scaffold for a day', null, 'flat'],
]
const cleaning: readonly Ware[] = [
  ['material', 'Detergent, litre', 380, 'amount'],
  ['material', 'Coffee capsules', 32, 'pieces'],
  ['expense', 'Taxi with six bags of linen', null, 'flat'],
  ['expense', 'Launderette', null, 'flat'],
]
const company: readonly Ware[] = [
  ['expense', 'Fuel, van 2', null, 'flat'],
  ['expense', 'Via Verde tolls', null, 'flat'],
  ['other', 'City tax, correction', null, 'flat'],
  ['material', 'Welcome baskets', 1_450, 'pieces'],
]
const repairing = new Set<DepartmentKey>(['maintenance', 'pools', 'pests'])

function onTheClock({ entry, work, made }: Clocked, n: number): Draft<Fields>[] {
  const draw = random('costs', n)
  const repair = repairing.has(work.department)
  if (entry.type !== 'work' || !entry.endTime || !draw.chance(repair ? 0.3 : 0.05)) return []
  const edited = draw.chance(0.04)
  return [
    {
      memberId: work.worker.memberId,
      timeEntryId: entry.id,
      ...ware(draw.pick(repair ? repairs : cleaning), draw),
      isApproved: entry.isApproved ?? null,
      departmentId: entry.departmentId ?? null,
      propertyId: entry.propertyId ?? null,
      taskId: entry.taskId ?? null,
      incurredAt: entry.startTime,
      editedAt: edited ? entry.updatedAt : null,
      made,
    },
  ]
}

/** Money of a ware: by the piece, by weight or length with decimals, or all in one. */
function ware([costType, description, unitCostCents, unit]: Ware, draw: Random) {
  const quantity = unit === 'pieces' ? draw.int(1, 8) : unit === 'amount' ? draw.int(2, 30) / 4 : null
  const flatCostCents = unit === 'flat' ? draw.int(4, 180) * 50 : null
  const totalCostCents = flatCostCents ?? Math.round(quantity! * unitCostCents!)
  return {
    costType,
    description: draw.chance(0.95) ? description : null,
    quantity: quantity === null ? null : String(quantity),
    unitCostCents,
    flatCostCents,
    totalCostCents,
    billableTotalCents: draw.chance(0.6) ? Math.round(totalCostCents * 1.15) : null,
    photos: draw.chance(0.4)
      ? [`https://casa-aurora.example/receipts/${draw.int(1000, 9999)}.jpg`]
      : draw.chance(0.5)
        ? []
        : null,
  }
}

/** Costs that hang on no time entry. Of the last three weeks, most have no member yet. */
function orphan(n: number, paid: readonly Planned[], calendar: Calendar): Draft<Fields> {
  const draw = random('orphan costs', n)
  const recent = n % 4 === 0
  const planned = draw.chance(0.55) ? draw.pick(paid) : null
  const place = planned ? planned.job.place : draw.chance(0.6) ? draw.pick(lettable) : null
  const on = recent ? -draw.int(1, 20) : (planned?.job.day ?? -draw.int(1, 180))
  const made = on * day + draw.int(500, 1100)
  const worker = planned?.worker && !draw.chance(recent ? 0.8 : 0.25) ? planned.worker : null
  const department = planned?.job.department ?? (draw.chance(0.7) ? 'logistics' : null)
  return {
    memberId: worker?.memberId ?? null,
    ...ware(draw.pick(planned && repairing.has(planned.job.department) ? repairs : planned ? cleaning : company), draw),
    isApproved: on < -14 ? true : draw.chance(0.2) ? true : null,
    departmentId: department && departmentId(department),
    propertyId: place?.id ?? null,
    taskId: planned && !recent ? planned.task.id : null,
    incurredAt: calendar.minute(made),
    made,
  }
}

const refunds = ['Tap cartridge, returned', 'Deposit of the scaffold', 'Refund: fuel card charged twice']

function refundItem(description: string, n: number, calendar: Calendar): Draft<Fields> {
  const made = (-9 - n * 31) * day + 690
  const amount = -1_890 * (n + 1)
  return {
    costType: n === 0 ? 'material' : 'expense',
    description,
    flatCostCents: amount,
    totalCostCents: amount,
    billableTotalCents: n === 0 ? amount : null,
    isApproved: n > 0 ? true : null,
    departmentId: departmentId('maintenance'),
    incurredAt: calendar.minute(made),
    made,
  }
}
