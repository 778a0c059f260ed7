// `createCompactor`: keeps the messages of a loop inside the window, and the prefix of its requests stable
// `compact`: an array of messages in, a smaller array of the same kind out
// The strategies of `precis`: all that ask no model

import { dropTurns } from '../strategies/drop-turns.ts'
import { digestReducer } from '../strategies/extract/digest.ts'
import { extract } from '../strategies/extract/extract.ts'
import { cascade } from '../strategies/ladder/ladder.ts'
import { mask } from '../strategies/mask.ts'
import { prune } from '../strategies/prune/prune.ts'
import { trimToolResults } from '../strategies/trim.ts'
import {
  type Compacted,
  type CompactOptions,
  type CompactWithModel,
  compactMessages,
  type Given,
} from './compact-messages.ts'
import type { Compactor, CompactorOptions } from './compactor-interface.ts'
import { compactorWith } from './compactor-with.ts'
import type { Kit } from './run-compaction.ts'

export function createCompactor<M extends object = object>(
  options: CompactorOptions,
): Compactor<M> {
  return compactorWith(options, KIT)
}

/**
 * Makes messages fit a budget. Pure, and synchronous unless a model is given: it reads no clock, makes no ids
 * and keeps nothing. Throws a PrecisError `irreducible` where no way leads below the budget.
 */
export function compact<M extends object>(
  messages: readonly M[],
  options: CompactWithModel<M>,
): Promise<Compacted<M>>
export function compact<M extends object>(
  messages: readonly M[],
  options: CompactOptions<M>,
): Compacted<M>
export function compact<M extends object>(
  messages: readonly M[],
  options: Given<M>,
): Compacted<M> | Promise<Compacted<M>> {
  return compactMessages(messages, options, KIT)
}

export const KIT: Kit = {
  cascade,
  strategies: [cascade, extract, prune, trimToolResults, mask, dropTurns],
  findBinding(reduce) {
    const { pinned, words } = reduce(digestReducer)
    return [...new Set([...pinned, ...words].flatMap(({ binding }) => binding))]
  },
}
