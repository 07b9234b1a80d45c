import { forgetAllKept } from '../api/costs/kept.ts'
import { learningAll } from '../api/search/words.ts'
import type { Database, Trx } from '../db/db.ts'
import { raw, sql } from '../db/sql.ts'
import { type Batch, entriesOf, fileOf } from './batch.ts'
import { readDirectory, readRecords } from './read.ts'
import { fileNames, type Records, recordFile } from './records.ts'
import { checkReferences } from './references.ts'
import { type ImportIssue, type Report, report } from './report.ts'
import { checkDevices } from './rules/devices.ts'
import { checkLinks } from './rules/links.ts'
import { checkMembers } from './rules/people.ts'
import { checkCoordinates, checkPortals, checkStatuses, checkTimeZones } from './rules/places.ts'
import type { Rule } from './rules/rule.ts'
import { checkInstructions, checkReservations } from './rules/stays.ts'
import { checkChecklistItems, checkTaskRates, checkTimeEntries, fillTasks } from './rules/work.ts'
import { type CountsByFile, writeBatch } from './write.ts'

/** All of it is in, with what became of the records by file; or nothing is, with everything that is wrong (`total`, of which `issues` are the first 1,000). */
export type ImportResult = { ok: true; counts: CountsByFile } | { ok: false; total: number; issues: ImportIssue[] }

type Options = { progress?: (line: string) => void }

/**
 * Imports the files of a directory in one transaction. Everything is read before it begins, and checked before the first
 * row is written, so that a running server is held up as little as can be. Throws an Error where the directory cannot be
 * read, or the database is away.
 */
export async function importDirectory(
  database: Database,
  organizationId: string,
  directory: string,
  { progress }: Options = {},
): Promise<ImportResult> {
  const found = report()
  const batch = await readDirectory(directory, found, progress)
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction((trx) => importBatch(trx, organizationId, batch, found, progress))
    } catch (error) {
      // Requests and an import may lock the same rows in different orders; one of them is then turned away.
      if (!/^40(P01|001)$/.test((error as { code?: string }).code ?? '') || attempt === 3) throw error
    }
  }
}

/**
 * Imports records from memory, with the same checks. Where one is wrong the whole transaction is abandoned. Lines count from 1
 * in each file.
 */
export async function importRecords(
  trx: Trx,
  organizationId: string,
  records: Records,
  { progress }: Options = {},
): Promise<ImportResult> {
  const found = report()
  return importBatch(trx, organizationId, readRecords(records, found), found, progress)
}

const rules: readonly Rule[] = [
  ({ trx, organizationId, batch, report }) => checkReferences(trx, organizationId, batch, report),
  checkLinks,
  checkMembers,
  checkPortals,
  checkCoordinates,
  checkTimeZones,
  checkStatuses,
  checkDevices,
  checkReservations,
  checkChecklistItems,
  checkTaskRates,
  fillTasks,
  checkTimeEntries,
  checkInstructions,
]

async function importBatch(
  trx: Trx,
  organizationId: string,
  batch: Batch,
  report: Report,
  progress?: (line: string) => void,
): Promise<ImportResult> {
  // One import at a time into an organization: what was checked stays true until it is written.
  await trx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`import ${organizationId}`}, 0))`)
  progress?.('Checking')
  for (const rule of rules) await rule({ trx, organizationId, batch, report })
  if (report.total() > 0) return refused(trx, report)

  try {
    const counts = await writeBatch(trx, organizationId, batch, progress)
    await revokeKeys(trx, organizationId, batch)
    await trx.run(learningAll(organizationId))
    await trx.run(raw('analyze search_words'))
    forgetAllKept(trx, organizationId)
    return { ok: true, counts }
  } catch (error) {
    const issue = refusalOf(error)
    if (!issue) throw error
    report.add(issue)
    return refused(trx, report)
  }
}

function refused(trx: Trx, report: Report): ImportResult {
  trx.abandon()
  return { ok: false, total: report.total(), issues: report.issues() }
}

/** As when a member is suspended: a key outlives no deactivation, whatever becomes of the member later. */
async function revokeKeys(trx: Trx, organizationId: string, batch: Batch): Promise<void> {
  const gone = entriesOf(batch, 'members')
    .filter(({ value }) => value.deactivatedAt)
    .map(({ value }) => value.id as string)
  if (gone.length > 0)
    await trx.run(sql`
      update api_keys set revoked_at = now()
      where organization_id = ${organizationId} and member_id = any(${gone}) and revoked_at is null`)
}

/** What the database would not take: a request came in between. Undefined for errors that say nothing about the data. */
function refusalOf(error: unknown): ImportIssue | undefined {
  const { code, table, constraint, detail, message } = error as Record<
    'code' | 'table' | 'constraint' | 'detail' | 'message',
    string
  >
  if (!/^2[23]/.test(code ?? '')) return undefined
  const file = fileNames.find((name) => recordFile(name).table === table)
  // The detail of other violations is the whole row.
  const reason = /^2350[35]$/.test(code) && detail ? `${message}. ${detail}` : message
  return {
    file: file ? fileOf(file) : (table ?? ''),
    line: null,
    field: null,
    code: 'refused',
    message: `the database does not take it: ${reason}${constraint ? ` (${constraint})` : ''}`,
  }
}
