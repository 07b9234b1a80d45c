import { sql } from '../../db/sql.ts'
import { read } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors.ts'
import { IdParams } from '../../http/schema.ts'
import { Instruction, resolved, unresolvedRow } from './instruction.ts'
import { placeholderRules } from './placeholders.ts'

export const getInstruction = read({
  route: 'GET /instructions/{id}',
  id: 'getInstruction',
  summary: 'Read one guest instruction step, with title and description resolved',
  description: `${placeholderRules}\n\n\`fixedCode\` is null without the permission \`view_lock_code\`.`,
  permission: 'view_guides',
  params: IdParams,
  response: Instruction,
  errors: ['instruction_not_found'],

  async handler({ db, actor, params }) {
    const step = await db.one({
      row: unresolvedRow(actor),
      from: sql`instructions i where i.organization_id = ${actor.organizationId} and i.id = ${params.id}`,
    })
    if (!step) throw new ApiError('instruction_not_found')
    return resolved(JSON.parse(step.text))
  },
})
