import { openSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { devNull } from 'node:os'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/db.ts'
import { openLog } from '../src/log.ts'

/** The server as in production, a line of log for each request included; the lines are made and written, but not kept. */
const config = readConfig()
const { log } = openLog({ level: config.logLevel, fd: openSync(devNull, 'w'), terminal: false })
const database = openDatabase({ ...config, connection: config.databaseUrl! })
const app = buildApp({ database, config, log })

await app.listen({ host: config.host, port: config.port })
process.send!({ port: (app.server.address() as AddressInfo).port })
process.on('disconnect', () => process.exit())
