import type { AlertLimits } from '../api/device-alerts/conditions.ts'
import { endCommand } from '../api/device-commands/device-command.ts'
import { check, type Finding, look, type Sent } from '../api/devices/follow.ts'
import { signalFor } from '../api/devices/limit.ts'
import { seen } from '../api/devices/seen.ts'
import type { Database } from '../db/db.ts'
import { and, sql } from '../db/sql.ts'
import { type Change, changing } from '../http/events.ts'
import type { Connections, Movement } from '../providers/provider.ts'

export type SettleOptions = {
  database: Database
  connections: Connections
  clock: () => Date
  /** Milliseconds to wait for a provider. */
  providerTimeout: number
  limits: AlertLimits
  /** Of this organization alone; of all unless given. */
  organizationId?: string
}

/** Milliseconds after it was sent, after which nobody looks for a movement's end any more. */
export const movementDeadline = 60_000
/** Milliseconds until a command that is still pending is looked at again. */
const pace = 3_000
const batch = 50

type Pending = {
  organizationId: string
  commandId: string
  deviceId: string
  kind: Movement | 'refresh'
  memberId: string | null
  keyId: string | null
  ref: string | null
  sentAt: Date | null
  accountId: string | null
  externalId: string | null
}

/**
 * Follows commands whose request left them pending, or died, to their end. A node takes each for a while, so that no other
 * asks meanwhile, and asks with no transaction open. Nothing is ever sent. Answers how many it took.
 */
export async function settleCommands(options: SettleOptions): Promise<number> {
  const taken = await take(options)
  const results = await Promise.allSettled(taken.map((command) => settle(options, command)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return taken.length
}

/** Those whose time has come, of all organizations; no node takes them again until the provider's time and a pause are over. */
const take = ({ database, clock, providerTimeout, organizationId }: SettleOptions): Promise<Pending[]> =>
  database.atOnce<Pending>(sql`
    with due as (
      select c.organization_id, c.id from device_commands c where ${and(
        sql`c.state = 'pending' and c.check_after <= ${clock()}`,
        organizationId && sql`c.organization_id = ${organizationId}`,
      )}
      order by c.check_after limit ${batch} for update skip locked)
    update device_commands c set checks = c.checks + 1, check_after = ${new Date(clock().getTime() + providerTimeout + pace)}
    from due, devices d
    where c.organization_id = due.organization_id and c.id = due.id
      and d.organization_id = c.organization_id and d.id = c.device_id
    returning c.organization_id as "organizationId", c.id as "commandId", c.device_id as "deviceId", c.kind, c.member_id as "memberId",
      c.api_key_id as "keyId", c.external_ref as ref, c.sent_at as "sentAt", d.integration_account_id as "accountId",
      d.external_id as "externalId"`)

async function settle(options: SettleOptions, command: Pending): Promise<void> {
  const finding = await find(options, command)
  const now = options.clock()
  await change(options, command, now, async (trx) => {
    if (finding.snapshot)
      await seen(trx, { organizationId: command.organizationId, id: command.deviceId }, finding.snapshot, now, options.limits)
    if (finding.state !== 'pending') await endCommand(trx, command, finding, now)
    else await leave(trx, command, finding.ref, now)
  })
}

type Verdict = Finding & { ifUnmarked?: true; snapshot?: Finding['snapshot'] }

async function find({ connections, clock, providerTimeout }: SettleOptions, command: Pending): Promise<Verdict> {
  const { kind, ref, sentAt, accountId, externalId, organizationId } = command
  // Nothing waits to be sent: its request had its time, and a door that moves long after it was asked to is a danger.
  // Unless its request lives and marks it as sent before this is stored: then it is looked after the next time.
  if (!sentAt) return ended('not_sent', 'The service stopped before the command was sent.', { ifUnmarked: true })
  if (kind === 'refresh') return ended('interrupted', 'The service stopped before the answer was stored.')
  const isLate = clock().getTime() >= sentAt.getTime() + movementDeadline
  const connection = accountId && externalId ? await connections.of(organizationId, accountId) : undefined
  let finding: Finding = { state: 'pending', ref }
  if (connection && externalId) {
    const sent: Sent = { externalId, movement: kind, ref, sentAt, clock }
    const signal = signalFor(providerTimeout)
    finding = await check(connection, sent, signal)
    if (finding.state === 'pending' && isLate && ref) finding = await look(connection, sent, signal)
  }
  if (finding.state !== 'pending' || !isLate) return finding
  const { snapshot } = finding
  return ended('timeout', `The lock was not seen ${kind}ed in time: whether it moved is unknown.`, snapshot && { snapshot })
}

const ended = (code: string, message: string, more: { ifUnmarked?: true; snapshot?: Finding['snapshot'] } = {}): Verdict => {
  const lock = more.snapshot?.lock ?? null
  return { state: 'failed', error: { code, message }, lock, ...more } as Verdict
}

const leave = (trx: Change, { organizationId, commandId }: Pending, ref: string | null, now: Date) =>
  trx.run(sql`
    update device_commands set external_ref = coalesce(${ref}, external_ref), check_after = ${new Date(now.getTime() + pace)}, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${commandId} and state = 'pending'`)

/** The cause is who asked for the command: its end is theirs. */
const change = <T>({ database }: SettleOptions, command: Pending, now: Date, work: (trx: Change) => Promise<T>): Promise<T> =>
  changing(
    database,
    {
      organizationId: command.organizationId,
      memberId: command.memberId,
      keyId: command.keyId,
      requestId: null,
      idempotencyKey: null,
    },
    now,
    work,
  )
