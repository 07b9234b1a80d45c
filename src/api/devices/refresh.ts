import type { Db } from '../../db/db.ts'
import { sql } from '../../db/sql.ts'
import { command } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { EmptyBody, IdParams } from '../../http/schema.ts'
import { ProviderError } from '../../providers/provider.ts'
import { endCommand, storeCommand } from '../device-commands/device-command.ts'
import { RefreshedDevice, refreshedDeviceRow } from './device.ts'
import { limited, signalFor } from './limit.ts'
import { providerUnavailable, type Refused, refusalOf, refusedBy, requestMargin } from './movement.ts'
import { type Sighting, seen } from './seen.ts'

type Polled = { snapshot: Sighting } | { error: Refused }

export const refreshDevice = command({
  route: 'POST /devices/{id}/refresh',
  id: 'refreshDevice',
  summary: "Poll the device's provider for its state of now",
  description: `What was seen is stored, and GET /devices shows the same. A device that its provider cannot reach is answered with
\`online\` false; a provider that cannot be used, or does not answer within 10 seconds, is 503.`,
  permission: 'view_devices',
  params: IdParams,
  body: EmptyBody,
  response: RefreshedDevice,
  errors: ['device_not_found', 'device_not_connected', 'device_unknown_to_provider', 'provider_unavailable'],

  async begin({ trx, actor, params, now, config, occupy }) {
    const [device] = await trx.rows<{ accountId: string | null }>(sql`
      select integration_account_id as "accountId" from devices where organization_id = ${actor.organizationId} and id = ${params.id}`)
    if (!device) throw new ApiError('device_not_found')
    if (device.accountId) occupy(device.accountId)
    const checkAfter = new Date(now.getTime() + config.providerTimeout + requestMargin)
    return (await storeCommand(trx, actor, { deviceId: params.id, kind: 'refresh', now, checkAfter }))!
  },

  async act({ actor, commandId, store, clock, connections, config }): Promise<Polled> {
    const { organizationId } = actor
    const signal = signalFor(config.providerTimeout)
    const target = await store(async (trx) => {
      const [row] = await trx.rows<{ accountId: string | null; externalId: string | null }>(sql`
        update device_commands c set sent_at = ${clock()} from devices d
        where c.organization_id = ${organizationId} and c.id = ${commandId} and d.organization_id = c.organization_id and d.id = c.device_id
        returning d.integration_account_id as "accountId", d.external_id as "externalId"`)
      return row!
    })
    const { accountId, externalId } = target
    const connection = accountId && externalId ? await connections.of(organizationId, accountId) : undefined
    if (!connection || !externalId)
      return { error: { code: 'not_connected', message: 'The device belongs to no connected account.' } }
    try {
      return { snapshot: await limited(signal, (call) => connection.refresh(externalId, call)) }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      if (error.code === 'device_offline') return { snapshot: unreachable(clock()) }
      return { error: refusedBy(error) }
    }
  },

  async finish({ trx, actor, params, commandId, outcome, now, config }) {
    const { organizationId } = actor
    const id = { organizationId, commandId }
    if ('error' in outcome) {
      const { error } = outcome
      await endCommand(trx, id, { state: 'failed', error }, now)
      return refusalOf(error) ?? providerUnavailable(error)
    }
    await seen(trx, { organizationId, id: params.id }, outcome.snapshot, now, config)
    await endCommand(trx, id, { state: 'succeeded', lock: outcome.snapshot.lock }, now)
    return show(trx, organizationId, params.id)
  },

  present: ({ db, actor, params }) => show(db, actor.organizationId, params.id),
})

/** Nothing of it was looked at. */
const unreachable = (observedAt: Date): Sighting => ({
  online: false,
  battery: null,
  lock: null,
  climate: null,
  issues: null,
  observedAt,
  live: false,
})

const show = async (db: Db, organizationId: string, id: string) =>
  (await db.one({ row: refreshedDeviceRow, from: sql`devices d where d.organization_id = ${organizationId} and d.id = ${id}` }))!
