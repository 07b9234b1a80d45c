import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/** What the bench hands over as its one argument, in JSON. Of `one`, the last value is the id that stands in the path. */
export type BareOptions = {
  connection: string
  poolSize: number
  list: { text: string; values: unknown[] }
  one: { text: string; values: unknown[] }
}

/** The yardstick: the endpoints' own SQL behind node:http, and nothing else. No key, no validation, no limit, no log. */
const { connection, poolSize, list, one } = JSON.parse(process.argv[2]!) as BareOptions
const pool = new pg.Pool({
  connectionString: connection,
  max: poolSize,
  onConnect: async (client) => {
    await client.query('set plan_cache_mode = force_generic_plan')
  },
})

const prefix = '/api/v1/devices/'
const server = createServer((request, response) => {
  const id = request.url!.startsWith(prefix) ? request.url!.slice(prefix.length) : undefined
  const answered = id === undefined ? answerList(response) : answerOne(response, id)
  answered.catch((error: Error) => response.writeHead(500).end(error.message))
})

async function answerList(response: ServerResponse): Promise<void> {
  const { rows } = await pool.query({ name: 'list', ...list })
  send(response, `{"data":${rows[0].data},"total":${rows[0].total}}`)
}

async function answerOne(response: ServerResponse, id: string): Promise<void> {
  const { rows } = await pool.query({ name: 'one', text: one.text, values: [...one.values.slice(0, -1), id] })
  send(response, `{"data":${rows[0].data}}`)
}

function send(response: ServerResponse, text: string): void {
  response
    .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit())
