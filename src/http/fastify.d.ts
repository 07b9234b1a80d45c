import type { Connections } from '../providers/provider.ts'
import type { Endpoint } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** For what runs without a request. */
    connections: Connections
  }
  interface FastifyRequest {
    /** The code of the error that was answered, for the log line. */
    errorCode: string | undefined
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}
