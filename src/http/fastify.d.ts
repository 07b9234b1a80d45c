import type { Endpoint } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that was answered, for the log line. */
    errorCode: string | undefined
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}
