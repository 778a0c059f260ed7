// `precis/light`: `compact` and `createCompactor` without the search for rules and state, for small bundles

import type { compact as compactFully } from '../compactor/compact.ts'
import { compactMessages, type Given } from '../compactor/compact-messages.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { compactorWith } from '../compactor/compactor-with.ts'
import type { Kit } from '../compactor/run-compaction.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { createExtract, digestReducerWith } from '../strategies/extract/propose.ts'
import { PLAIN } from '../strategies/extract/senses.ts'
import { capGiants } from '../strategies/ladder/cap-giants.ts'
import { createCascade } from '../strategies/ladder/cascade.ts'
import { lastMessage } from '../strategies/ladder/last-rung.ts'
import { trimRung } from '../strategies/ladder/trim-rung.ts'
import { mask } from '../strategies/mask.ts'
import { trimToolResults } from '../strategies/trim.ts'

/** Ignores binding sentences and the state of files and commands. */
const extract = createExtract(digestReducerWith(PLAIN, 'plain-digest'))

const cascade = createCascade([
  { strategy: trimRung, isLossy: true, isShallow: true },
  { strategy: mask, isLossy: true, isShallow: true },
  { strategy: capGiants, isLossy: true, isShallow: true },
  { strategy: extract, isLossy: true, startsOver: true, countsPins: true },
  { strategy: dropTurns, isLossy: true },
  { strategy: extract, startsOver: true, countsPins: true, isLast: true },
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
  cascade,
  strategies: [cascade, extract, trimToolResults, mask, dropTurns],
}

/** Like `compact` of `precis`, but ignores binding sentences and the state of files and commands. */
export const compact = ((messages: readonly object[], options: Given<object>) =>
  compactMessages(messages, options, KIT)) as typeof compactFully

export function createCompactor<M extends object = object>(
  options: CompactorOptions,
): Compactor<M> {
  return compactorWith(options, KIT)
}
