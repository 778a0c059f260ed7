// The strategies of `precis` that ask no model.
import { dropTurns } from '../strategies/drop-turns.ts'
import { digestReducer, extract } from '../strategies/extract/extract.ts'
import { cascade } from '../strategies/ladder/ladder.ts'
import { mask } from '../strategies/mask.ts'
import { prune } from '../strategies/prune/prune.ts'
import { trimToolResults } from '../strategies/trim.ts'
import type { Kit } from './run-compaction.ts'

export const KIT: Kit = {
  cascade,
  strategies: [cascade, extract, prune, trimToolResults, mask, dropTurns],
  findBinding(reduce) {
    const { pinned, words } = reduce(digestReducer)
    return [...new Set([...pinned, ...words].flatMap(({ binding }) => binding))]
  },
}
