// Other hosts that run the packed library: pinned, from the npm registry, in the cache of the agents
import { join } from 'node:path'
import { folderOf, isComplete } from '../agents/installed.ts'

const RUNTIMES = { bun: '1.4.4', deno: '2.9.6', workerd: '1.20261104.1' } as const

export type RuntimeName = keyof typeof RUNTIMES

export const RUNTIME_NAMES = Object.keys(RUNTIMES) as RuntimeName[]

export function pinnedRuntime(name: RuntimeName) {
  return { package: name, version: RUNTIMES[name], command: name }
}

export function runtimeProgram(name: RuntimeName): string {
  return join(folderOf(name, pinnedRuntime(name)), 'node_modules/.bin', name)
}

export function hasRuntime(name: RuntimeName): boolean {
  return isComplete(name, pinnedRuntime(name))
}
