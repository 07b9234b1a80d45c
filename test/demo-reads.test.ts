import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { v7 } from 'uuid'
import { createKey } from '../src/api/api-keys/api-key.ts'
import { endpoints } from '../src/api/endpoints.ts'
import { isUuid } from '../src/db/sql.ts'
import { loadDemo } from '../src/demo/demo.ts'
import { type Endpoint, isList, methodOf, pathOf } from '../src/http/endpoint.ts'
import { openapiDocument } from '../src/http/openapi.ts'
import { permissions } from '../src/http/permissions.ts'
import { isDateTime } from '../src/http/schema.ts'
import { type Answer, type Call, clientOf, server } from './helper.ts'

type Row = Record<string, unknown>
type Query = Exclude<NonNullable<Call['query']>, string>

/** Contract, section 2: the fields of each resource, by the path that lists or reads it. */
const contract: Record<string, string> = {
  '/devices':
    'id name type ecosystem provider online batteryLevel batteryUpdatedAt healthCheck deviceState isArchived linkedProperties createdAt',
  '/devices linkedProperties': 'propertyId propertyName',
  '/departments':
    'id name description category color activeTaskCount memberCount managerNames isMaintenance autoAssignEnabled assignmentMethod backupAssignmentMethod blockingPriority archivedAt createdAt updatedAt',
  '/members': 'memberId userId firstName lastName email avatarUrl isActive joinedAt memberType role permissions departments',
  '/members departments': 'id name',
  '/reservations':
    'id propertyId propertyGroupId bookingSourceId pmsProvider externalReservationId confirmationCode codeStatus status checkIn checkOut checkInOverride checkOutOverride etaCheckIn etaCheckOut confirmedAt checkInState occupancyMethod guestId guestFirstName guestLastName guestEmail guestPhone guestCount nightCount currency subtotalCents totalFeeCents hostPayoutCents paymentStatus verificationStatus verificationStatusChangedAt verificationStatusChangedReason sourceText isAutoScheduleDisabled isReturning portalLoadCount createdAt updatedAt',
  '/tasks':
    'id departmentId propertyId propertyGroupId reservationId templateId scheduleId requiredSkillId assigneeUserId assignerUserId completedByUserId createdById collaborators images due endTime deletedAt estTime financialApprovalStatus isBlocking isRecurring isTimeAdded isUnassigned permissionToEnter priority status totalCost type publicEnabled createdAt updatedAt',
  '/task-templates':
    'id name nameText description descriptionText departmentId priority permissionToEnter requiredSkillId isAdminTemplate createdById deletedAt translationCoverage translationFieldCount createdAt updatedAt groups',
  '/task-templates groups':
    'id templateId type titleText rank reference isArchived optionSetId parentCategoryId targetCategoryId targetLevel photoRequired photoRequirement photoAiVerificationPromptText userCreated createdById createdAt updatedAt checklistItems',
  '/task-templates groups checklistItems':
    'id groupId templateId descriptionText optionGroupId rank userCreated createdById createdAt updatedAt',
  '/instructions':
    'id propertyId propertyGroupId deviceId type title description codeType fixedCode imageUrl videoUrl isAccessDisplayed sortOrder createdAt updatedAt',
  '/search items': 'entityId entityType name searchIndexId subtitle',
  '/organization': 'id name slug region timezone createdAt',
  '/portals': 'id name isDefault supportEmail',
  '/properties':
    'id name nickname propertyGroupId portalSettingsId streetAddress unitNumber city state postalCode countryCode formattedAddress latitude longitude timezone coverImageUrl wifiName internalAccessNotes codeDisplay groupCodeDisplay reviewRequestUrl reviewRequestOverrides averageRating bathroomCount bedCount bedroomCount maxGuests defaultCheckInHour defaultCheckOutHour hideTimerHours readinessStatus cleaningStatus inspectionStatus maintenanceStatus hasCheckInInstructionTimer isAddressHidden isBackupSwapDisabled isBookable isCodeOverrideFixed isDisabled isInspectionRequired createdAt updatedAt',
  '/costs':
    'approvedCount laborBillableCents laborCostCents nonLaborBillableCents nonLaborCostCents paidBreakMinutes pendingCount rowCount taskCount totalDurationMinutes unpaidBreakMinutes hasAutoClockOut hasEdits memberId memberFirstName memberLastName oldestPendingAt periodStart',
  '/costs/day': 'entries orphanCosts',
  '/costs/day entries':
    'kind timeEntryId type startTime endTime durationMinutes attributedCostCents attributedBillableCents isApproved breakDefinitionId departmentId departmentName departmentColor propertyId propertyName taskId taskTitle notes',
  '/costs/day orphanCosts':
    'kind costId costType description quantity unitCostCents flatCostCents totalCostCents billableTotalCents isApproved photos departmentId departmentName departmentColor propertyId propertyName taskId taskTitle',
}

const now = new Date()
const { app, database } = server()
const id = v7()
const { ownerMemberId } = await loadDemo(database, { now, organization: { id, slug: `demo-${id}` } })
const { key } = await database.transaction((trx) => createKey(trx, { organizationId: id, memberId: ownerMemberId, permissions }))
const client = clientOf(app, key)

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('uuid', isUuid)
ajv.addFormat('date-time', (text) => isDateTime(text) && /\.\d{3}Z$/.test(text))
for (const format of ['date', 'uri', 'email']) ajv.addFormat(format, true)
ajv.addSchema(openapiDocument(endpoints), 'openapi')

const reads = endpoints.filter((endpoint) => methodOf(endpoint) === 'GET')
/** What each list answered, for the reads by id. */
const listed = new Map<string, Row[]>()

for (const endpoint of reads.filter((one) => isList(one) && !pathOf(one).includes('{id}'))) {
  test(`${endpoint.route}: every row of the demo fits the OpenAPI document`, async () => {
    const check = checkOf(endpoint)
    const rows: Row[] = []
    for (let total = 1; rows.length < total; ) {
      const answer = await client(endpoint.route, { query: pageOf(endpoint, rows.length) })
      check(answer)
      total = answer.meta.pagination.total
      assert.ok(answer.data.length > 0 || total === 0)
      rows.push(...answer.data)
    }
    const ids = rows.map(idOf)
    assert.equal(new Set(ids).size, rows.length)
    // The demo's ids ascend with the time at which its rows were made.
    assert.ok(ids.every((one, i) => i === 0 || ids[i - 1]! < one))
    if (contract[pathOf(endpoint)]) assert.ok(rows.length > 3)
    listed.set(pathOf(endpoint), rows)
  })
}

for (const endpoint of reads.filter((one) => pathOf(one).endsWith('/{id}'))) {
  const rows = () => listed.get(pathOf(endpoint).replace('/{id}', ''))
  test(`${endpoint.route}: every row of the demo reads as it was listed`, async (t) => {
    const all = rows()
    if (!all) return t.skip('the API has no list of these')
    const check = checkOf(endpoint)
    for (let at = 0; at < all.length; at += 4)
      await Promise.all(
        all.slice(at, at + 4).map(async (row) => {
          const answer = await client(endpoint.route, { id: idOf(row) })
          check(answer)
          for (const [field, value] of Object.entries(row)) assert.deepEqual(answer.data[field], value, `${idOf(row)} ${field}`)
        }),
      )
  })
}

for (const endpoint of reads.filter((one) => !isList(one) && !pathOf(one).includes('{id}'))) {
  test(`${endpoint.route}: what it says of the demo fits the OpenAPI document`, async () => {
    const check = checkOf(endpoint)
    for (const query of queries[pathOf(endpoint)]?.() ?? [{}]) {
      const answer = await client(endpoint.route, { query })
      check(answer)
      if (pathOf(endpoint) === '/search') assert.ok(answer.data.items.length > 0, JSON.stringify(query))
    }
  })
}

const daysAgo = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString()

/** What to ask of reads that want to be asked something. */
const queries: Record<string, () => Query[]> = {
  '/costs': () =>
    ['day', 'week'].flatMap((groupBy) =>
      [true, false].map((pendingOnly) => ({ start: daysAgo(190), end: daysAgo(-1), groupBy, pendingOnly })),
    ),
  '/costs/day': () =>
    Array.from({ length: 30 }, (_, day) => daysAgo(day).slice(0, 10)).flatMap((date) =>
      ['null', ...(listed.get('/members') ?? []).slice(5, 11).map(idOf)].map((memberId) => ({ date, memberId })),
    ),
  '/search': () => [
    ...['Inês', 'limoeiro', 'front door', 'Checkout clean', '佐藤', 'Algarve'].map((query) => ({ query, limit: 50 })),
    { query: 'casa', entityTypes: ['property'] },
  ],
}

function pageOf(endpoint: Endpoint, offset: number): Query {
  const parameters = Object.entries((endpoint.query?.properties ?? {}) as Record<string, TSchema & { type?: string }>)
  const all = parameters
    .filter(([name, { type }]) => name.startsWith('include') && type === 'boolean')
    .map(([name]) => [name, true])
  return { ...Object.fromEntries(all), ...('offset' in Object.fromEntries(parameters) ? { limit: 100, offset } : {}) }
}

const idOf = (row: Row): string => (row.id ?? row.memberId) as string

/** Fails where an answer does not fit its operation, or lacks a field of the contract; the contract's own have no further ones. */
function checkOf(endpoint: Endpoint): (answer: Answer) => void {
  const pointer = `openapi#/paths/${pathOf(endpoint).replaceAll('/', '~1')}/get/responses/200/content/application~1json/schema`
  const fits: ValidateFunction = ajv.compile({ $ref: pointer })
  return (answer) => {
    assert.equal(answer.status, 200, answer.text)
    assert.ok(fits({ data: answer.data, meta: answer.meta }), ajv.errorsText(fits.errors))
    for (const row of [answer.data].flat()) assertFields(row, pathOf(endpoint).replace('/{id}', ''), endpoint.extension === true)
  }
}

function assertFields(row: Row, path: string, more: boolean): void {
  const fields = contract[path]?.split(' ') ?? []
  const missing = fields.filter((field) => !(field in row))
  assert.deepEqual(missing, [], `${path} lacks fields`)
  if (fields.length > 0 && !more) assert.equal(Object.keys(row).length, fields.length, `${path} has ${Object.keys(row)}`)
  for (const [field, value] of Object.entries(row))
    if (contract[`${path} ${field}`] && Array.isArray(value))
      for (const inner of value) assertFields(inner, `${path} ${field}`, false)
}
