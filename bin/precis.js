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
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const built = new URL('../dist/cli/main.js', import.meta.url)
  // A checkout runs its sources (Node strips the types); a published package has only the build.
  const { main } = await import((existsSync(source) ? source : built).href)
  process.exitCode = await main(process.argv)
} else {
  process.stderr.write(
    `precis needs Node 22.19 or later, and this is Node ${process.versions.node}. In a checkout, run \`npx precis …\`: it uses the checkout's own Node.\n`,
  )
  process.exitCode = 1
}
