// The rungs of `cascade`, and how one follows another until the result fits.
import type { StrategyInput } from '../../core/edit/strategy.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import { type Steps, wait } from '../../core/steps.ts'
import { callsAfter, findRoot, parseEntryId } from '../../core/view/entry.ts'
import { dropTurns } from '../drop-turns.ts'
import { extract } from '../extract/extract.ts'
import { mask } from '../mask.ts'
import { prune } from '../prune/prune.ts'
import { oneLine } from '../summary/as-data.ts'
import { capGiants } from './cap-giants.ts'
import { createCascade, type Rung } from './cascade.ts'
import { lastMessage } from './last-rung.ts'
import { trimRung } from './trim-rung.ts'

const STATE_LINES = 60

function* computeState(input: StrategyInput): Steps<readonly string[]> {
  return ledgerLines(yield* readLedger(input), STATE_LINES).map(oneLine)
}

/** Replayed from the log if available, otherwise from the context. */
function* readLedger({ context, eventAt, reduce }: StrategyInput): Steps<Ledger> {
  if (reduce) return yield* wait(reduce(ledgerReducer))
  let ledger = ledgerReducer.init()
  for (const { id } of context.items) {
    const root = parseEntryId(findRoot(id, eventAt))
    const event = root.original ? eventAt(root.seq) : undefined
    if (!event) continue
    ledger = ledgerReducer.step(ledger, event)
    if (event.type !== 'AGENT_MESSAGE') continue
    for (const data of callsAfter(event.seq, event.data, eventAt))
      ledger = ledgerReducer.step(ledger, { ...event, type: 'TOOL_CALL', data })
  }
  return ledger
}

const LADDER: readonly Rung[] = [
  { strategy: prune },
  { strategy: trimRung, isLossy: true, isShallow: true },
  { strategy: mask, isLossy: true, isShallow: true },
  { strategy: capGiants, isLossy: true, isShallow: true },
  { strategy: extract, isLossy: true, startsOver: true, countsPins: true },
  { strategy: dropTurns, isLossy: true },
  // Again, for a last message too long to stay whole.
  { strategy: extract, startsOver: true, countsPins: true, isLast: true },
  { strategy: lastMessage(computeState), isLast: true, countsPins: true },
]

export const cascade = createCascade(LADDER)
