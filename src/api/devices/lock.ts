import { command } from '../../http/endpoint.ts'
import { EmptyBody, IdParams } from '../../http/schema.ts'
import { beginMovement, finishMovement, LockResult, move, movementErrors, presentMovement } from './movement.ts'

export const lockDevice = command({
  route: 'POST /devices/{id}/lock',
  id: 'lockDevice',
  summary: 'Lock a smart lock',
  description: `The command is stored before it is sent, and sent once at most. It has succeeded when the lock was seen locked after it. The
answer waits for that 10 seconds at most; \`pending\` means that the bolt may still move: GET /device-commands/{id} tells the end.`,
  permission: 'control_device',
  params: IdParams,
  body: EmptyBody,
  response: LockResult,
  errors: movementErrors,

  begin: (given) => beginMovement(given, 'lock'),
  act: (given) => move(given, 'lock'),
  finish: finishMovement,
  present: ({ db, actor, commandId }) => presentMovement(db, { organizationId: actor.organizationId, commandId }),
})
