#!/usr/bin/env node
// Starts the command. Plain JavaScript for any Node, so that an old one gets a sentence, not a crash.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { compileCacheFolder } from './own-folder.js'

if (Number(process.versions.napi) >= 10) {
  // Compiled code is kept, so that a command starts in half the time. It is run unseen: only from a
  // folder that no other user can write to. NODE_COMPILE_CACHE names another one.
  const cache = compileCacheFolder()
  if (cache !== undefined) module.enableCompileCache(cache)
  // A checkout runs its sources (Node strips the types); a published package has only the build.
  const source = new URL('../src/cli/', import.meta.url)
  const load = (name) =>
    import(
      existsSync(source)
        ? new URL(`${name}.ts`, source).href
        : new URL(`../dist/cli/${name}.js`, import.meta.url).href
    )
  const [command, host, aside, ...more] = process.argv.slice(2)
  // An agent waits for a hook: it is run without the parser of the command line.
  const isKnown = (aside === undefined || aside === 'aside') && more.length === 0
  if (command === 'hook' && /^\w/.test(host ?? '') && isKnown) {
    const { processIo } = await load('process-io')
    const { runHook } = await load('hosts/run-hook')
    await runHook(host, processIo(), aside !== undefined)
  } else {
    const { main } = await load('main')
    process.exitCode = await main(process.argv)
  }
} else {
  process.stderr.write(
    `precis needs Node 22.19 or later, and this is Node ${process.versions.node}. In a checkout, run \`npx precis …\`: it uses the checkout's own Node.\n`,
  )
  process.exitCode = 1
}
