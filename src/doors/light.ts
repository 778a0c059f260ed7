// `precis/light`: `compact` and `createCompactor` with a shorter ladder, for small bundles
import type { compact as compactFully } from '../compactor/compact.ts'
import { compactMessages, type Given } from '../compactor/compact-messages.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { compactorWith } from '../compactor/compactor-with.ts'
import type { Kit } from '../compactor/run-compaction.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { lightCascade } from '../strategies/ladder/light.ts'
import { mask } from '../strategies/mask.ts'
import { trimToolResults } from '../strategies/trim.ts'

const KIT: Kit = {
  cascade: lightCascade,
  strategies: [lightCascade, trimToolResults, mask, dropTurns],
}

/** As `compact` of `precis`. Its `cascade` trims, masks and drops; it does not choose lines, as `extract` does. */
export const compact = ((messages: readonly object[], options: Given<object>) =>
  compactMessages(messages, options, KIT)) as typeof compactFully

export function createCompactor<M extends object = object>(
  options: CompactorOptions,
): Compactor<M> {
  return compactorWith(options, KIT)
}
