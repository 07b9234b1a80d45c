import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/db.ts'
import { clientGone } from '../db/db.ts'
import type { Connections } from '../providers/provider.ts'
import { type Actor, type Actors, keyDigest, witness } from './auth.ts'
import { type Body, readJson, wrongContentType } from './body.ts'
import { runCommand } from './command.ts'
import { commandPlaces } from './command-places.ts'
import { wantsCsv } from './csv.ts'
import { type Endpoint, type EndpointConfig, methodOf, pathOf } from './endpoint.ts'
import { errorText, failure, success } from './envelope.ts'
import { ApiError, type Issue, invalidRequest } from './errors.ts'
import { type IdempotencyKey, readIdempotencyKey } from './idempotency.ts'
import { parseQuery } from './query.ts'
import type { Rate, RateLimit } from './rate-limit.ts'
import { toApiError } from './to-api-error.ts'
import { type Check, checker } from './validate.ts'
import { runWrite } from './write.ts'
import { written } from './written.ts'

export const apiPrefix = '/api/v1'

/** Characters from which on an answer is sent as bytes. */
const longText = 65_536

export type Surroundings = {
  database: Database
  actors: Actors
  rates: RateLimit
  config: EndpointConfig & { rateLimit: number; maxInFlight: number; bodyLimit: number }
  clock: () => Date
  connections: Connections
}

/** What becomes of a request before it is sent. `stamp` is the caller's witness, where a statement brought it along. */
type Outcome = {
  status: number
  /** The answer, or a long one bit by bit. */
  text: string | AsyncIterable<string>
  contentType?: string
  stamp?: string | null | undefined
  replayed?: boolean
  error?: ApiError | undefined
}
type Operation = (actor: Actor, request: FastifyRequest, gone: () => AbortSignal) => Promise<Outcome>

/** Answers a request of a known caller with an error, as any operation would that throws it. */
export type Refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => Promise<FastifyReply>

/**
 * The life of every request below /api/v1, top to bottom: shed · credential (401) · rate (429) · permission (403) ·
 * well-formedness (400) · the operation · confirmation that the caller's rights still stand.
 */
export function mount(app: FastifyInstance, endpoints: readonly Endpoint[], around: Surroundings): Refuse {
  let inFlight = 0

  async function live(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<FastifyReply> {
    inFlight++
    try {
      const outcome = await work(request, reply, operation)
      // A stream is work until its last part is sent. The listener comes first: the end may come with the sending.
      const isStream = typeof outcome.text !== 'string' && !reply.raw.closed
      const ended = isStream && once(reply.raw, 'close').catch(() => undefined)
      await send(request, reply, outcome)
      await ended
      return reply
    } catch (error) {
      return send(request, reply, refused(request, error))
    } finally {
      inFlight--
    }
  }

  async function work(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<Outcome> {
    const digest = keyDigest(request.headers.authorization)
    const actor = await identify(digest, reply)
    const rate = await countRequest(digest, actor, reply)
    const gone = whenGone(reply)
    return standing(
      digest,
      actor,
      async (current) => {
        if (rate.exceeded) throw new ApiError('rate_limit_exceeded')
        return operation(current, request, gone)
      },
      request,
    )
  }

  /** The caller. While the database is away or too much is in work, the answer is 503, with the rate headers. */
  async function identify(digest: string, reply: FastifyReply): Promise<Actor> {
    try {
      if (inFlight > around.config.maxInFlight) throw new ApiError('overloaded')
      const actor = await around.actors.find(digest)
      if (!actor) throw new ApiError('credential_invalid')
      return actor
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) await countRequest(digest, around.actors.known(digest), reply)
      throw error
    }
  }

  async function countRequest(digest: string, actor: Actor | undefined, reply: FastifyReply): Promise<Rate> {
    const rate = await around.rates.count(digest, actor?.rateLimit ?? around.config.rateLimit)
    reply.header('x-ratelimit-limit', rate.limit)
    reply.header('x-ratelimit-remaining', rate.remaining)
    reply.header('x-ratelimit-reset', rate.reset)
    if (rate.exceeded) reply.header('retry-after', rate.retryAfter)
    return rate
  }

  /**
   * Answers only with what a caller of this moment may have. An outcome that brought the caller's current stamp is good;
   * for one that brought none (nothing was asked of the database) the caller is looked up; where it changed, all is done again.
   */
  async function standing(
    digest: string,
    actor: Actor,
    attempt: (actor: Actor) => Promise<Outcome>,
    request: FastifyRequest,
  ): Promise<Outcome> {
    let current = actor
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await attempt(current).catch((error: unknown) => refused(request, error))
      if (outcome.stamp === current.stamp || outcome.status >= 500) return outcome
      const now = await around.actors.reload(digest)
      if (!now) throw new ApiError('credential_invalid')
      if (now.stamp === current.stamp) return outcome
      current = now
    }
    throw new ApiError('overloaded')
  }

  /** The outcome of a failure: what it says itself, 503 where the database is away, 500 for what should not happen. */
  function refused(request: FastifyRequest, error: unknown): Outcome {
    const refusal = toApiError(error)
    if (refusal.status >= 500 && !request.raw.socket.destroyed)
      request.log.error({ err: error, requestId: request.id, code: refusal.code }, refusal.message)
    return { status: refusal.status, text: failure(errorText(refusal), request.id), error: refusal }
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, text, contentType = 'application/json; charset=utf-8', replayed, error }: Outcome,
  ): Promise<FastifyReply> {
    reply.code(status).header('content-type', contentType).header('x-request-id', request.id)
    if (status === 401) {
      reply.header('www-authenticate', 'Bearer')
      for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'])
        reply.removeHeader(header)
    }
    if (status === 503) reply.header('retry-after', error?.retryAfter ?? 1)
    if (replayed) reply.header('idempotency-replayed', 'true')
    if (error) request.errorCode = error.code
    if (typeof text !== 'string') return reply.send(Readable.from(text))
    // Encoded once: as a text it would be read for its length, and again for the socket.
    return reply.send(text.length > longText ? Buffer.from(text) : text)
  }

  const refuse: Refuse = (request, reply, error) =>
    live(request, reply, async () => {
      throw error
    })

  app.decorateRequest('errorCode', undefined)

  // Bodies are read without throwing: who may ask is decided before what was asked.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, readJson(bytes as Buffer)),
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes.length === 0 ? undefined : wrongContentType),
  )

  // Whatever providers do, the other half answers what needs none.
  const places = commandPlaces(Math.ceil(around.config.maxInFlight / 2))
  for (const endpoint of endpoints) {
    const operation = operate(endpoint, around, places)
    app.route({
      method: methodOf(endpoint),
      url: apiPrefix + pathOf(endpoint).replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { endpoint },
      handler: (request, reply) => live(request, reply, operation),
      // What Fastify itself refuses about the body (too large, cut off) is one more constraint that was broken.
      errorHandler: (error, request, reply) => refuse(request, reply, error),
    })
  }

  // Unknown paths are answered before the body is looked at.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (isApi(request.url)) void refuse(request, reply, new ApiError('unknown_path'))
    else void reply.code(404).type('text/plain; charset=utf-8').send('Not Found\n')
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  return refuse
}

/** A signal that is aborted when the client goes away before its answer was sent; made when it is first asked for. */
function whenGone(reply: FastifyReply): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller) return controller.signal
    controller = new AbortController()
    const abort = () => {
      if (!reply.raw.writableFinished) controller!.abort(clientGone())
    }
    if (reply.raw.closed) abort()
    else reply.raw.once('close', abort)
    return controller.signal
  }
}

export const isApi = (url: string): boolean =>
  url === apiPrefix || url.startsWith(`${apiPrefix}/`) || url.startsWith(`${apiPrefix}?`)

/** Well-formedness and the handler of one endpoint. */
function operate(endpoint: Endpoint, around: Surroundings, places: ReturnType<typeof commandPlaces>): Operation {
  const permission = endpoint.permission
  const validate = validator(endpoint)

  /** Whether the caller may have what was just read. The key's row changes too when its last use is noted: that is no reason. */
  function stillAllowed(actor: Actor, request: FastifyRequest, witnessed: () => string | null | undefined) {
    let { stamp } = actor
    return async () => {
      if (witnessed() === stamp) return true
      const now = await around.actors.reload(keyDigest(request.headers.authorization))
      if (!now || ![...actor.permissions].every((permission) => now.permissions.has(permission))) return false
      stamp = now.stamp
      return true
    }
  }

  return async (actor, request, gone) => {
    if (permission && !actor.permissions.has(permission)) throw new ApiError('permission_denied', { permission })
    const { key, ...parts } = validate(request, actor)
    const input = {
      ...parts,
      actor,
      now: around.clock(),
      requestId: request.id,
      config: around.config,
      connections: around.connections,
    }
    if (endpoint.kind !== 'read') {
      const given = { ...input, key }
      const done = await (endpoint.kind === 'write'
        ? runWrite(endpoint, around.database, request, given)
        : runCommand(endpoint, { ...around, place: places.enter() }, request, given))
      const { status, text, stamp, replayed, error } = done
      return { status, text: status < 300 ? success(text, request.id) : failure(text, request.id), stamp, replayed, error }
    }
    const { db, witnessed } = around.database.reader(witness(actor), gone)
    const answer = await endpoint.handler({ ...input, db })
    const table = endpoint.csv && wantsCsv(request.headers.accept) ? endpoint.csv : undefined
    const text = await written(answer, request.id, table, stillAllowed(actor, request, witnessed))
    return { status: endpoint.status ?? 200, ...text, stamp: witnessed() }
  }
}

type Parts = { params: unknown; query: unknown; body: unknown; key: IdempotencyKey | undefined }

/** Params, query, body and Idempotency-Key checked together, so that a client hears of everything at once. Throws 400. */
function validator(endpoint: Endpoint): (request: FastifyRequest, actor: Actor) => Parts {
  const checkParams: Check | undefined = endpoint.params && checker(endpoint.params, 'params')
  const checkQuery: Check | undefined = endpoint.query && checker(endpoint.query, 'query')
  const checkBody: Check | undefined = endpoint.body && checker(endpoint.body, 'body')

  return (request, actor) => {
    const { query, issues } = parseQuery(request.url, endpoint.query)
    if (checkParams) issues.push(...checkParams(request.params))
    if (checkQuery) issues.push(...checkQuery(query))
    const { body, issue } = bodyOf(request)
    if (issue) issues.push(issue)
    else if (checkBody) issues.push(...checkBody(body))
    let key: IdempotencyKey | undefined
    if (endpoint.kind !== 'read') {
      const path = request.url.split('?')[0]!
      const read = readIdempotencyKey(request.headers['idempotency-key'], { actor, method: request.method, path, body })
      if (read && 'message' in read) issues.push(read)
      else key = read
    }
    if (issues.length > 0) throw invalidRequest(issues)
    return { params: request.params, query, body, key }
  }
}

function bodyOf(request: FastifyRequest): { body?: unknown; issue?: Issue } {
  const sent = request.body as Body
  if (!sent) return { body: {} }
  return 'issue' in sent ? { issue: sent.issue } : { body: sent.value }
}
