// `precis/light`: `compact` and `createCompactor` with a shorter ladder, for small bundles
// A short ladder for small bundles: it reads neither what the user asked for nor what became of files and commands

import type { compact as compactFully } from '../compactor/compact.ts'
import { compactMessages, type Given } from '../compactor/compact-messages.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { compactorWith } from '../compactor/compactor-with.ts'
import type { Kit } from '../compactor/run-compaction.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { createCascade } from '../strategies/ladder/cascade.ts'
import { capGiants } from '../strategies/ladder/edits.ts'
import { lastMessage, trimRung } from '../strategies/ladder/rungs.ts'
import { mask } from '../strategies/mask.ts'
import { trimToolResults } from '../strategies/trim.ts'

export const lightCascade = createCascade([
  { strategy: trimRung, isLossy: true },
  { strategy: mask, isLossy: true },
  { strategy: capGiants, isLossy: true },
  { strategy: dropTurns, isLossy: true },
  {
    // biome-ignore lint/correctness/useYield: steps that wait for nothing
    strategy: lastMessage(function* () {
      return []
    }),
    isLast: true,
    countsPins: true,
  },
])

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
