// `createCompactor`: keeps a loop's messages inside the window, and the prefix of its requests stable.
import type { Compactor, CompactorOptions } from './compactor-interface.ts'
import { compactorWith } from './compactor-with.ts'
import { KIT } from './kit.ts'

export function createCompactor<M extends object = object>(
  options: CompactorOptions,
): Compactor<M> {
  return compactorWith(options, KIT)
}
