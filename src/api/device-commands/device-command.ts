import Type from 'typebox'
import { v7 } from 'uuid'
import { projection } from '../../db/projection.ts'
import { sql } from '../../db/sql.ts'
import type { Actor } from '../../http/auth.ts'
import type { Change } from '../../http/events.ts'
import { DateTime, Nullable, NullableDateTime, NullableString, NullableUuid, OneOf, Resource, Uuid } from '../../http/schema.ts'
import type { LockReading } from '../../providers/provider.ts'

export const commandKinds = ['lock', 'unlock', 'refresh'] as const
export type CommandKind = (typeof commandKinds)[number]

export const DeviceCommand = Resource(
  'DeviceCommand',
  {
    id: Uuid,
    deviceId: Uuid,
    kind: OneOf(commandKinds),
    state: OneOf(['pending', 'succeeded', 'failed'] as const),
    memberId: NullableUuid,
    createdAt: DateTime,
    sentAt: Nullable(
      Type.String({ format: 'date-time', description: 'When it went to the provider, once at most; null where it never did.' }),
    ),
    finishedAt: NullableDateTime,
    checks: Type.Integer({ description: 'How often its end was looked for after its request had left it pending.' }),
    errorCode: NullableString,
    errorMessage: NullableString,
    observedLockState: Nullable(
      OneOf(['locked', 'unlocked', 'jammed', 'unknown'] as const, {
        description: 'What the lock was seen to be when the command ended; null where it was not seen.',
      }),
    ),
  },
  'What was asked of a device, and what became of it.',
)

/** A command under the alias `c`. */
export const deviceCommandRow = projection(DeviceCommand, 'c')

export type CommandId = { organizationId: string; commandId: string }

/**
 * How a command ended. `isUnsent`: it is certain that the device never heard of it. `ifUnmarked`: that is so only while nobody
 * has marked it as sent, and whoever ends it cannot know that before.
 */
export type Ended = {
  state: 'succeeded' | 'failed'
  lock?: LockReading | null
  error?: { code: string; message: string }
  isUnsent?: boolean
  ifUnmarked?: boolean
}

/**
 * Stores what is asked of a device, before anything is sent. No node looks after it until `checkAfter`: it is the request's
 * until then. Undefined where the lock is still moving.
 */
export async function storeCommand(
  trx: Change,
  actor: Actor,
  { deviceId, kind, now, checkAfter }: { deviceId: string; kind: CommandKind; now: Date; checkAfter: Date },
): Promise<{ commandId: string } | undefined> {
  const commandId = v7()
  const stored = await trx.run(sql`
    insert into device_commands (organization_id, id, device_id, kind, api_key_id, member_id, check_after, created_at, updated_at)
    values (${actor.organizationId}, ${commandId}, ${deviceId}, ${kind}, ${actor.keyId}, ${actor.memberId}, ${checkAfter}, ${now}, ${now})
    on conflict (organization_id, device_id) where state = 'pending' and kind <> 'refresh' do nothing`)
  if (stored === 0) return undefined
  const changes = { deviceId: { to: deviceId }, kind: { to: kind } }
  trx.event({ type: 'device_command.created', entityType: 'device_command', entityId: commandId, changes })
  return { commandId }
}

/** Stores how a command ended, unless it has ended before, or was marked as sent: false then, and nothing is changed. */
export async function endCommand(
  trx: Change,
  { organizationId, commandId }: CommandId,
  ended: Ended,
  now: Date,
): Promise<boolean> {
  const { state, lock, error, isUnsent = false, ifUnmarked = false } = ended
  const observed = lock?.state ?? null
  const changed = await trx.run(sql`
    update device_commands set state = ${state}, error_code = ${error?.code ?? null}, error_message = ${error?.message.slice(0, 500) ?? null},
      observed_lock_state = ${observed}, sent_at = case when ${isUnsent} then null else sent_at end, finished_at = ${now}, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${commandId} and state = 'pending' and (sent_at is null or not ${ifUnmarked})`)
  if (changed === 0) return false
  const changes = {
    state: { from: 'pending', to: state },
    ...(error ? { errorCode: { to: error.code } } : {}),
    ...(observed ? { observedLockState: { to: observed } } : {}),
  }
  trx.event({ type: `device_command.${state}`, entityType: 'device_command', entityId: commandId, changes })
  return true
}
