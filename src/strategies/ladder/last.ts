// The last rung: the newest user message, the pins, and the state of the work
import type { Edit } from '../../core/edit/change.ts'
import { pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import type { Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import { weightOf } from '../../core/view/context.ts'
import { callsAfter, parseEntryId, rootOf } from '../../core/view/entry.ts'
import { openRoundStart } from '../../core/view/seam.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { lastSaid } from '../drop-note.ts'
import { dropEdits } from '../drop-turns.ts'
import { oneLine } from '../summary/as-data.ts'
import { cappedEntry } from './cap.ts'

/** What a bare note takes. */
const NOTE_TOKENS = 80
const MOST_NOTE_TOKENS = 4_000
const STATE_LINES = 60

/** Everything goes but the newest message of the user and a round that is still open. */
export const lastMessage: Strategy = {
  id: 'last-message',
  async propose(input) {
    const { context, eventAt, pins = [] } = input
    const items = context.items.toArray()
    const newest = lastSaid(items, eventAt)
    const open = openRoundStart(items, context.open)
    const held = pinnedEntries(items, context.open, pins)
    const text = pinnedText(pins)
    const fixed = items.reduce(
      (sum, item, at) => (at >= open || held.has(item.id) ? sum + item.tokens : sum),
      weightOf(context) - context.tokens + (text === undefined ? 0 : weighText(text)),
    )
    const room = (input.targetTokens ?? Math.floor(weightOf(context) / 2)) - fixed
    const said = items[newest]
    const isFree = said !== undefined && newest < open && !held.has(said.id)
    const edits: Edit[] = []
    let rest = room
    if (isFree) {
      const capped =
        said.tokens + NOTE_TOKENS > room
          ? cappedEntry(said, Math.max(0, room - 2 * NOTE_TOKENS), eventAt)
          : undefined
      if (capped && capped.saved > 0) edits.push(capped.edit)
      rest -= said.tokens - Math.max(0, capped?.saved ?? 0)
    }
    const gone = new Set(items.flatMap((_, at) => (at !== newest && at < open ? [at] : [])))
    const noteTokens = Math.max(NOTE_TOKENS, Math.min(MOST_NOTE_TOKENS, rest))
    const state = ledgerLines(await ledgerOf(input), STATE_LINES).map(oneLine)
    return { edits: [...edits, ...dropEdits(items, gone, eventAt, noteTokens, state)] }
  },
}

/** Replayed from the whole log where it can be had, else from what of it is in the context. */
async function ledgerOf({ context, eventAt, reduce }: StrategyInput): Promise<Ledger> {
  if (reduce) return reduce(ledgerReducer)
  let ledger = ledgerReducer.init()
  for (const { id } of context.items) {
    const root = parseEntryId(rootOf(id, eventAt))
    const event = root.original ? eventAt(root.seq) : undefined
    if (!event) continue
    ledger = ledgerReducer.step(ledger, event)
    if (event.type !== 'AGENT_MESSAGE') continue
    for (const data of callsAfter(event.seq, event.data, eventAt))
      ledger = ledgerReducer.step(ledger, { ...event, type: 'TOOL_CALL', data })
  }
  return ledger
}
