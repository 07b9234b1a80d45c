import Type from 'typebox'
import { DateTime, NullableString, NullableUuid, Resource, Uuid } from '../../http/schema.ts'

export const Event = Resource(
  'Event',
  {
    id: Uuid,
    type: Type.String({ examples: ['reservation.check_in_state_changed'] }),
    entityType: Type.String({ examples: ['reservation'] }),
    entityId: Uuid,
    memberId: NullableUuid,
    apiKeyId: NullableUuid,
    requestId: NullableString,
    idempotencyKey: NullableString,
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The fields that changed, each `{ from, to }`; `from` is missing for what was created.',
      examples: [{ checkInState: { from: 'not_checked_in', to: 'checked_in' } }],
    }),
    createdAt: DateTime,
  },
  'One change of one thing, written in the transaction that made it. Member, key and request are null for what the service did by itself.',
)
