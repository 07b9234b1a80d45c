import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { openapiDocument } from './openapi.ts'

/** /openapi.json, and /docs that renders it. Every asset comes from this server; the page asks nothing of any other. */
export function docs(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const document = JSON.stringify(openapiDocument(endpoints))
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document))
  app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Steward API',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  })
}
