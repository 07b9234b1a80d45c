import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { simulationStore } from './api/devices/simulated-device.ts'
import { endpoints as api } from './api/endpoints.ts'
import { type ConnectionsOptions, connections } from './api/integrations/connections.ts'
import type { Config } from './config.ts'
import type { Database } from './db/db.ts'
import { actors } from './http/auth.ts'
import { docs } from './http/docs.ts'
import type { Endpoint } from './http/endpoint.ts'
import { requestId } from './http/envelope.ts'
import { health } from './http/health.ts'
import { mount } from './http/mount.ts'
import { acceptAnyExpectation, maxHeaderSize, refuseMalformedHttp, refuseUrl } from './http/off-route.ts'
import { rateLimit } from './http/rate-limit.ts'
import { providers as registry } from './providers/registry.ts'

export type AppOptions = {
  database: Database
  config: Config
  log: FastifyBaseLogger
  clock?: () => Date
  /** Those of the registry unless given. */
  providers?: ConnectionsOptions['providers']
  /** The whole API unless given. */
  endpoints?: readonly Endpoint[]
}

/** The server as a value: nothing listens yet, nothing is global. `close()` ends it without closing the database. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { database, config, log, clock = () => new Date(), providers = registry, endpoints = api } = options
  const rates = rateLimit({
    redisUrl: config.redisUrl,
    clock,
    onError: (error) => log.warn({ err: error }, 'Redis is away: rates are counted per node'),
  })
  const callers = actors(database, clock)
  const accounts = connections({
    database,
    providers,
    secret: config.encryptionKey,
    surroundings: (organizationId, accountId) => ({
      clock,
      simulation: simulationStore(database, organizationId, accountId, clock),
    }),
    onUnusable: (error, accountId) =>
      log.warn({ err: error, accountId }, 'the settings of an integration cannot be used: its account counts as not connected'),
    onCloseFailed: (error, accountId) => log.warn({ err: error, accountId }, 'the connection of an integration did not close'),
  })
  const around = { database, actors: callers, rates, config, clock, connections: accounts }
  const storeUses = () =>
    callers.storeUses().catch((error: Error) => log.warn({ err: error }, 'when keys were last used was not stored'))
  const everyMinute = setInterval(storeUses, 60_000).unref()

  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // No logger of its own for each request: what is logged of a request names its id.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    bodyLimit: config.bodyLimit,
    // What was let in while the service stops is answered like any other request.
    return503OnClosing: false,
    // Filters may hold hundreds of ids in one URL.
    http: { maxHeaderSize },
    // An id longer than any is 404 like another; the query is parsed by the endpoint's own schema.
    routerOptions: { maxParamLength: maxHeaderSize, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => refuseUrl(refuse, error, request, reply),
    clientErrorHandler: refuseMalformedHttp(config, clock),
  })
  acceptAnyExpectation(app)
  app.decorate('connections', accounts)

  app.addHook('onResponse', (request, reply, done) => {
    const { endpoint } = request.routeOptions.config
    // The route, never the URL: a query may hold a guest's name.
    log.info(
      {
        requestId: request.id,
        route: endpoint?.route ?? (request.is404 ? 'unknown' : request.routeOptions.url),
        status: reply.statusCode,
        code: request.errorCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
    done()
  })
  const refuse = mount(app, endpoints, around)
  docs(app, endpoints)
  health(app, database)
  app.addHook('onClose', async () => {
    clearInterval(everyMinute)
    await storeUses()
    await rates.close()
    await accounts.close()
  })
  return app
}
