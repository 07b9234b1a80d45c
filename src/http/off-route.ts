import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorText, failure, requestId } from './envelope.ts'
import { invalidRequest } from './errors.ts'
import { isApi, type Refuse } from './mount.ts'

/** Bytes of the request line and headers together. */
export const maxHeaderSize = 256 * 1024

/** A URL that the router cannot read (`/devices/%FF`): one more malformed request, in the envelope. */
export function refuseUrl(refuse: Refuse, error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (!isApi(request.url)) void reply.code(404).type('text/plain; charset=utf-8').send('Not Found\n')
  else void refuse(request, reply, invalidRequest([{ path: 'params', code: 'encoding', message: error.message }]))
}

/**
 * What is not even HTTP (a broken request line, headers beyond the limit, a request that never ends): 400 in the envelope,
 * written to the socket by hand since there is no request yet. Nothing is known of the key, so the default limit is reported.
 */
export function refuseMalformedHttp(config: { rateLimit: number }, clock: () => Date) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const id = requestId()
    const message =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? `headers are larger than ${maxHeaderSize} bytes`
        : 'is not a complete HTTP/1.1 request'
    const body = failure(errorText(invalidRequest([{ path: 'request', code: 'malformed', message }])), id)
    const headers = [
      `HTTP/1.1 400 ${STATUS_CODES[400]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      `x-ratelimit-limit: ${config.rateLimit}`,
      `x-ratelimit-remaining: ${config.rateLimit}`,
      `x-ratelimit-reset: ${Math.ceil(clock().getTime() / 1000) + 60}`,
      'connection: close',
    ]
    socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
  }
}

/** Node answers an Expect header it does not know with 417, which is none of the API's statuses; the header asks for nothing we need. */
export function acceptAnyExpectation(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}
