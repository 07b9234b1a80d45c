import Type from 'typebox'
import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import type { Acting, EndpointConfig, Occupy } from '../../http/endpoint.ts'
import { ApiError, type ErrorCode } from '../../http/errors.ts'
import type { Change } from '../../http/events.ts'
import { OneOf, Resource, Uuid } from '../../http/schema.ts'
import { type Connections, isAway, type Movement, type MovementOutcome, ProviderError } from '../../providers/provider.ts'
import { type CommandId, endCommand, storeCommand } from '../device-commands/device-command.ts'
import { type Finding, follow, judge, type Sent } from './follow.ts'
import { limited, signalFor } from './limit.ts'
import { seen } from './seen.ts'

/** Contract, section 2. */
export const LockResult = Resource('LockCommandResult', {
  success: Type.Boolean({ description: 'False where the command failed.' }),
  commandId: Type.Optional(Uuid),
  state: Type.Optional(OneOf(['pending', 'succeeded', 'failed'] as const)),
})

export const movementErrors: readonly ErrorCode[] = [
  'device_not_found',
  'device_is_no_lock',
  'device_archived',
  'remote_controls_disabled',
  'device_not_connected',
  'device_unknown_to_provider',
  'command_in_progress',
  'provider_unavailable',
]

type Given = { actor: Actor; params: { id: string }; now: Date; config: EndpointConfig; connections: Connections }
/** `retryAfter` in milliseconds, where the provider said when to try again. */
export type Refused = { code: string; message: string; retryAfter?: number | undefined }
type Moved = { finding: Finding } | { unsent: Refused }

/** How long a command is its request's alone, beyond the limit of its provider (milliseconds). */
export const requestMargin = 5_000

/** Stores the movement, or refuses what no retry can help. */
export async function beginMovement(
  given: Given & { trx: Change; occupy: Occupy },
  movement: Movement,
): Promise<{ commandId: string }> {
  const { trx, actor, params, now, config, occupy } = given
  const { organizationId } = actor
  const [device] = await trx.rows<{ type: string | null; isArchived: boolean; isRemote: boolean; accountId: string | null }>(sql`
    select type, is_archived as "isArchived", enable_remote_controls as "isRemote", integration_account_id as "accountId" from devices
    where organization_id = ${organizationId} and id = ${params.id}`)
  if (!device) throw new ApiError('device_not_found')
  if (device.type !== 'lock') throw new ApiError('device_is_no_lock')
  if (device.isArchived) throw new ApiError('device_archived')
  if (!device.isRemote) throw new ApiError('remote_controls_disabled')
  if (device.accountId) occupy(device.accountId)
  const checkAfter = new Date(now.getTime() + config.providerTimeout + requestMargin)
  const stored = await storeCommand(trx, actor, { deviceId: params.id, kind: movement, now, checkAfter })
  if (stored) return stored
  const [moving] = await trx.rows<{ id: string }>(sql`select id from device_commands
    where organization_id = ${organizationId} and device_id = ${params.id} and state = 'pending' and kind <> 'refresh'`)
  throw new ApiError('command_in_progress', moving ? { commandId: moving.id } : {})
}

/** Sends the movement, once in its life, and waits for its end as long as a request may. */
export async function move(given: Given & Acting & { commandId: string }, movement: Movement): Promise<Moved> {
  const { actor, commandId, store, clock, connections, config, now } = given
  const { organizationId } = actor
  const signal = signalFor(config.providerTimeout)
  // Whoever stores this first may send; after a crash nobody can tell whether it was sent, so nobody sends again.
  const sentAt = clock()
  const target = await store(async (trx) => {
    const [row] = await trx.rows<{ accountId: string | null; externalId: string | null }>(sql`
      update device_commands c set sent_at = ${sentAt}, updated_at = ${sentAt} from devices d
      where c.organization_id = ${organizationId} and c.id = ${commandId} and c.state = 'pending' and c.sent_at is null
        and d.organization_id = c.organization_id and d.id = c.device_id
      returning d.integration_account_id as "accountId", d.external_id as "externalId"`)
    return row
  })
  if (!target) return { unsent: { code: 'not_sent', message: 'The command was given up before it could be sent.' } }
  const { accountId, externalId } = target
  const connection = accountId && externalId ? await connections.of(organizationId, accountId) : undefined
  if (!connection || !externalId)
    return { unsent: { code: 'not_connected', message: 'The device belongs to no connected account.' } }

  // A process that stood still meanwhile must not move a door that nobody waits for any more.
  if (signal.aborted || clock().getTime() - now.getTime() > config.providerTimeout)
    return { unsent: { code: 'not_sent', message: 'The service was too slow to send the command in time.' } }

  const sent: Sent = { externalId, movement, ref: null, sentAt, clock }
  // Code that did not end by its signal may have sent, or may yet.
  const unknown = (): MovementOutcome => ({ state: 'pending', ref: null })
  try {
    const outcome = await limited(signal, (call) => connection.move(externalId, movement, call), unknown)
    const finding = await judge(connection, sent, outcome, signal)
    if (finding.state !== 'pending' || signal.aborted) return { finding }
    // A reference to ask by must outlive this process.
    if (finding.ref) await store((trx) => storeRef(trx, { organizationId, commandId }, finding.ref))
    return { finding: await follow(connection, { ...sent, ref: finding.ref }, signal) }
  } catch (error) {
    if (error instanceof ProviderError) return { unsent: refusedBy(error) }
    throw error
  }
}

/** Stores what came of it. A command that another has ended meanwhile stays as it is, and is answered so. */
export async function finishMovement(
  given: Given & { trx: Change; commandId: string; outcome: Moved },
): Promise<{ success: boolean; commandId: string; state: 'pending' | 'succeeded' | 'failed' } | ApiError> {
  const { trx, actor, params, commandId, outcome, now, config } = given
  const { organizationId } = actor
  const id = { organizationId, commandId }
  if ('unsent' in outcome) {
    const { unsent } = outcome
    await endCommand(trx, id, { state: 'failed', error: unsent, isUnsent: true }, now)
    const refusal = refusalOf(unsent)
    return refusal ?? presentMovement(trx, id)
  }
  const { finding } = outcome
  if (finding.snapshot) await seen(trx, { organizationId, id: params.id }, finding.snapshot, now, config)
  if (finding.state === 'pending') await handOver(trx, id, finding.ref, now)
  else await endCommand(trx, id, finding, now)
  return presentMovement(trx, id)
}

const storeRef = (trx: Change, { organizationId, commandId }: CommandId, ref: string | null) =>
  trx.run(sql`update device_commands set external_ref = coalesce(${ref}, external_ref)
    where organization_id = ${organizationId} and id = ${commandId} and state = 'pending'`)

/** From now on any node may look for its end. */
const handOver = (trx: Change, { organizationId, commandId }: CommandId, ref: string | null, now: Date) =>
  trx.run(sql`update device_commands set external_ref = coalesce(${ref}, external_ref), check_after = ${now}, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${commandId} and state = 'pending'`)

/** The answer where it is no outcome of the lock's: its provider could not be used, or nothing is there to be moved. */
export function refusalOf({ code, message, retryAfter }: Refused): ApiError | undefined {
  if (code === 'not_connected') return new ApiError('device_not_connected')
  if (code === 'device_not_found') return new ApiError('device_unknown_to_provider')
  if (isAway(new ProviderError(code as 'unavailable', message))) return providerUnavailable({ code, retryAfter })
  return undefined
}

export const refusedBy = ({ code, message, retryAfter }: ProviderError): Refused => ({ code, message, retryAfter })

/** 503 with the provider's own time to try again: an hour at most, for what a provider says is no promise. */
export function providerUnavailable({ code, retryAfter = 0 }: Pick<Refused, 'code' | 'retryAfter'>): ApiError {
  const error = new ApiError('provider_unavailable', { reason: code })
  error.retryAfter = Math.min(3600, Math.max(1, Math.ceil(retryAfter / 1000) || 1))
  return error
}

/** The command as it stands. */
export async function presentMovement(db: Db, { organizationId, commandId }: CommandId) {
  const [row] = await db.rows<{ state: 'pending' | 'succeeded' | 'failed' }>(sql`select state from device_commands
    where organization_id = ${organizationId} and id = ${commandId}`)
  return { success: row!.state !== 'failed', commandId, state: row!.state }
}
