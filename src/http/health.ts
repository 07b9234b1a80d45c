import type { FastifyInstance } from 'fastify'
import { type Database, isUnavailable } from '../db/db.ts'
import { pendingMigrations } from '../db/migrate.ts'
import { raw } from '../db/sql.ts'

/**
 * For those who watch the service, outside the API and without a key: /healthz says the process is alive, /readyz that
 * the database can be reached and has every migration (503 otherwise, with the reason).
 */
export function health(app: FastifyInstance, database: Database): void {
  app.get('/healthz', async () => ({ status: 'alive' }))

  app.get('/readyz', async (request, reply) => {
    const { db } = database.reader()
    try {
      const pending = await pendingMigrations(async (text) => ({ rows: await db.rows(raw(text)) }))
      if (pending.length > 0) return reply.code(503).send({ status: 'not ready', reason: 'migrations are pending', pending })
      return { status: 'ready' }
    } catch (error) {
      const reason = isUnavailable(error) ? 'the database cannot be reached' : (error as Error).message
      request.log.warn({ err: error, requestId: request.id }, reason)
      return reply.code(503).send({ status: 'not ready', reason })
    }
  })
}
