import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Endpoint, isList, methodOf, pathOf } from './endpoint.ts'
import { type ErrorCode, errors, errorTypes, type Status } from './errors.ts'
import { exampleOf } from './examples.ts'

type Json = Record<string, unknown>

const rateHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** The OpenAPI 3.1 document, made from the endpoint table alone. */
export function openapiDocument(endpoints: readonly Endpoint[]): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    paths[pathOf(endpoint)] ??= {}
    paths[pathOf(endpoint)]![methodOf(endpoint).toLowerCase()] = operation(endpoint, schemas, endpoints)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Steward',
      version: '1',
      summary: 'Property operations for one organization: devices, people, tasks, stays, costs, guides and search.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: sorted({ ...schemas, Meta: meta, Pagination: pagination, Error: errorSchema }),
      headers,
      responses: Object.fromEntries(statuses.map((status) => [errorTypes[status], errorResponse(status)])),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_live_…` or `sk_test_…`.' } },
    },
  }
}

const introduction = `Every call acts on the organization of the caller's API key.

- Answers are \`{ data, meta }\`, errors \`{ error, meta }\`; \`meta.requestId\` is also the header \`X-Request-Id\`.
- Lists are ordered oldest first (\`createdAt\`, then \`id\`) unless the operation says otherwise.
- An array in a query is a repeated key, \`types=lock&types=hub\`; \`types[]=lock\` is accepted too. A comma is a character like any other.
- An unknown parameter or body field is an error, and every broken constraint of a request is named at once.
- Another organization's id behaves exactly as one that does not exist.
- Operations marked \`x-steward-extension\` are additions of Steward's own; the others are the contract.`

const statuses: Status[] = [400, 401, 403, 404, 409, 422, 429, 500, 503]

function operation(endpoint: Endpoint, schemas: Json, all: readonly Endpoint[]): Json {
  const properties = (schema: TSchema | undefined) =>
    Object.entries((schema as { properties?: Record<string, TSchema> })?.properties ?? {})
  const required = (schema: TSchema | undefined) => (schema as { required?: string[] } | undefined)?.required ?? []
  return {
    operationId: endpoint.id,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: description(endpoint),
    ...(endpoint.extension ? { 'x-steward-extension': true } : {}),
    'x-steward-permission': endpoint.permission,
    parameters: [
      ...properties(endpoint.params).map(([name, schema]) => parameter('path', name, schema, true, schemas)),
      ...properties(endpoint.query).map(([name, schema]) =>
        parameter('query', name, schema, required(endpoint.query).includes(name) && !('default' in schema), schemas),
      ),
      ...(endpoint.kind === 'read' ? [] : [idempotencyKey]),
    ],
    ...(endpoint.body
      ? {
          requestBody: {
            required: !Compile(endpoint.body).Check({}),
            content: json(refer(endpoint.body, schemas), exampleOf(endpoint.body)),
          },
        }
      : {}),
    responses: {
      [endpoint.status ?? 200]: { ...successResponse(endpoint, schemas), ...links(endpoint, all) },
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${errorTypes[status]}` }])),
    },
  }
}

function description(endpoint: Endpoint): string {
  const codes = (endpoint.errors ?? []).map((code) => `- ${errors[code][0]} \`${code}\`: ${errors[code][1]}`)
  const permission = endpoint.permission ? `Needs the permission \`${endpoint.permission}\`.` : 'Any valid key may call this.'
  return [endpoint.description, permission, codes.length > 0 ? `Errors of its own:\n${codes.join('\n')}` : undefined]
    .filter(Boolean)
    .join('\n\n')
}

function parameter(place: 'path' | 'query', name: string, schema: TSchema, required: boolean, schemas: Json): Json {
  const { description: said, ...rest } = refer(schema, schemas)
  const array = rest.type === 'array' ? { style: 'form', explode: true } : {}
  return { name, in: place, required, ...(said ? { description: said } : {}), ...array, schema: rest }
}

function successResponse(endpoint: Endpoint, schemas: Json): Json {
  const replayed = endpoint.kind === 'read' ? [] : ['Idempotency-Replayed']
  const list = isList(endpoint)
  const metaSchema = list
    ? { allOf: [{ $ref: '#/components/schemas/Meta' }], required: ['pagination'] }
    : { $ref: '#/components/schemas/Meta' }
  const example = {
    data: exampleOf(endpoint.response),
    meta: {
      requestId: 'req_0199e0f5c2a07c3e9d1f4b6a8c2e7f10',
      ...(list ? { pagination: { limit: 50, offset: 0, total: 1 } } : {}),
    },
  }
  const schema = {
    type: 'object',
    required: ['data', 'meta'],
    properties: { data: refer(endpoint.response, schemas), meta: metaSchema },
  }
  return {
    description: 'Success.',
    headers: headerRefs(['X-Request-Id', ...rateHeaders, ...replayed]),
    content: {
      ...json(schema, example),
      ...(endpoint.csv
        ? { 'text/csv': { schema: { type: 'string', description: `Columns: ${endpoint.csv.columns.join(', ')}.` } } }
        : {}),
    },
  }
}

/** A list's first row leads to what takes its id: said to clients, and walked by tests that are made from the document. */
function links(endpoint: Endpoint, all: readonly Endpoint[]): Json {
  if (!isList(endpoint)) return {}
  const item = (endpoint.response as unknown as { items: { properties: object } }).items.properties
  const id = 'memberId' in item && !('id' in item) ? 'memberId' : 'id'
  const targets = all.filter((one) => pathOf(one).startsWith(`${pathOf(endpoint)}/{id}`))
  if (targets.length === 0) return {}
  const link = ({ id: operationId }: Endpoint) => [
    operationId,
    { operationId, parameters: { id: `$response.body#/data/0/${id}` } },
  ]
  return { links: Object.fromEntries(targets.map(link)) }
}

function errorResponse(status: Status): Json {
  const names = [
    'X-Request-Id',
    ...(status === 401 ? ['WWW-Authenticate'] : rateHeaders),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ]
  const codes = (Object.keys(errors) as ErrorCode[]).filter((code) => errors[code][0] === status)
  const [code] = codes
  const issues = [{ path: 'query.limit', code: 'maximum', message: 'must be <= 100' }]
  const example = code && {
    error: { type: errorTypes[status], code, message: errors[code][1], ...(status === 400 ? { details: { issues } } : {}) },
    meta: { requestId: 'req_0199e0f5c2a07c3e9d1f4b6a8c2e7f10' },
  }
  return {
    description: `\`${errorTypes[status]}\`${codes.length > 0 ? `: ${codes.map((one) => `\`${one}\``).join(', ')}` : ''}`,
    headers: headerRefs(names),
    content: json({ $ref: '#/components/schemas/Error' }, example),
  }
}

const json = (schema: Json, example: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})
const headerRefs = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** docs/decisions.md: the bare form; a quoted structured-field string is accepted as the same key. */
const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A request repeated with the same key within 24 hours is done once and answered again, marked `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!#-~]([ -~]*[!-~])?$' },
}

const integerHeader = (text: string): Json => ({ description: text, required: true, schema: { type: 'integer' } })
const headers: Json = {
  'X-Request-Id': { description: 'Equals `meta.requestId`.', required: true, schema: { type: 'string' } },
  'X-RateLimit-Limit': integerHeader('Requests a minute that the key may make.'),
  'X-RateLimit-Remaining': integerHeader('Requests left in this minute.'),
  'X-RateLimit-Reset': integerHeader('When the minute ends, in Unix seconds.'),
  'Idempotency-Replayed': {
    description: 'Only on an answer that was stored for an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': integerHeader('Whole seconds to wait, at least 1.'),
  'WWW-Authenticate': { required: true, schema: { type: 'string', const: 'Bearer' } },
}

const pagination: Json = {
  type: 'object',
  required: ['limit', 'offset', 'total'],
  properties: {
    limit: { type: 'integer', description: 'Page size used.' },
    offset: { type: 'integer', description: 'Items skipped.' },
    total: { type: 'integer', description: 'Matching items across pages.' },
  },
}
const meta: Json = {
  type: 'object',
  required: ['requestId'],
  properties: { requestId: { type: 'string' }, pagination: { $ref: '#/components/schemas/Pagination' } },
}
const errorSchema: Json = {
  type: 'object',
  required: ['error', 'meta'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message'],
      properties: {
        type: { enum: Object.values(errorTypes) },
        code: { enum: Object.keys(errors) },
        message: { type: 'string' },
        details: { type: 'object', additionalProperties: true },
      },
    },
    meta: { $ref: '#/components/schemas/Meta' },
  },
}

/** The schema as it stands in the document: named resources become components, and what only our own code reads is left out. */
function refer(schema: unknown, schemas: Json): Json {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const { $id, 'x-list': _list, patternMessage: _message, ...rest } = node as Json
    const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, walk(value)]))
    if (typeof $id !== 'string') return plain
    schemas[$id] = plain
    return { $ref: `#/components/schemas/${$id}` }
  }
  return walk(schema) as Json
}

/** The first part of the path, in words: `Task templates`. */
function tagOf(endpoint: Endpoint): string {
  const words = pathOf(endpoint).split('/')[1]!.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const sorted = (object: Json): Json => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
