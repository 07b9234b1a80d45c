import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { v7 } from 'uuid'

/** What the bench hands over as its one argument, in JSON. */
export type WriterOptions = { connection: string; poolSize: number; organizationId: string; userId: string }

/** The yardstick: one INSERT of the row that POST /tasks makes, in a transaction of its own, and nothing else. */
const { connection, poolSize, organizationId, userId } = JSON.parse(process.argv[2]!) as WriterOptions
const pool = new pg.Pool({ connectionString: connection, max: poolSize })

const text = `insert into tasks (organization_id, id, name, department_id, created_by_id, priority, status, type, created_at, updated_at)
  values ($1, $2, $3, $4, $5, 'medium', 'not_started', 'cleans', $6, $6)`

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { name, departmentId } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string; departmentId: string }
    const id = v7()
    pool.query({ name: 'insert', text, values: [organizationId, id, name, departmentId, userId, new Date()] }).then(
      () => response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { task: { id, name } } })),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
})

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit())
