// The ladder as it comes with précis: which rungs `cascade` climbs down, in this order.
// Rungs of the ladder that are no strategies by themselves: trimming with refs, and what is left in the end

import type { Edit, NewEntry } from '../../core/edit/change.ts'
import { pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import {
  proposing,
  type Steps,
  type Strategy,
  type StrategyInput,
  stepwise,
  wait,
} from '../../core/edit/strategy.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { EventAt } from '../../core/log/event.ts'
import { weightOf } from '../../core/view/context.ts'
import { callsAfter, findRoot, type Item, parseEntryId } from '../../core/view/entry.ts'
import { roundsOf } from '../../core/view/seam.ts'
import { contentOf } from '../../core/view/sent-rounds.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { lastSaid } from '../drop-note.ts'
import { dropEdits, dropTurns, spokenNote } from '../drop-turns.ts'
import { extract } from '../extract/extract.ts'
import { mask, WHOLE_ROUNDS } from '../mask.ts'
import { prune } from '../prune/prune.ts'
import { cutUnseen, heldStart } from '../range.ts'
import { oneLine } from '../summary/as-data.ts'
import { readRef, resultWith, rewriteOf, trimToolResults, untilSaved } from '../trim.ts'
import { createCascade, type Rung } from './cascade.ts'
import { capGiants, cappedEntry } from './edits.ts'

/**
 * `trim-tool-results` as a rung: the oldest first, no more than it takes, and each cut names its
 * ref.
 */
export const trimRung: Strategy = stepwise({
  id: trimToolResults.id,
  *steps(input) {
    const { context, eventAt, targetTokens } = input
    const items = new Map(context.items.toArray().map((item) => [item.id, item]))
    const recent = recentResults(context.items.toArray(), context.open)
    const { edits } = yield* proposing(trimToolResults, { ...input, trigger: 'auto' })
    const rewrites = edits.flatMap((edit) => {
      const item = items.get(edit.covers[0] as Item['id'])
      const entry = item && !recent.has(item.id) ? withRef(edit, item, eventAt) : undefined
      const rewrite = item && entry && rewriteOf(item, entry, eventAt)
      return rewrite && rewrite.saved > 0 ? [rewrite] : []
    })
    const excess = targetTokens === undefined ? undefined : weightOf(context) - targetTokens
    return { edits: untilSaved(rewrites, excess) }
  },
})

function recentResults(items: readonly Item[], open: ReadonlySet<string>): Set<Item['id']> {
  const from = roundsOf(items, open).at(-WHOLE_ROUNDS)?.start ?? 0
  return new Set(items.slice(from).map(({ id }) => id))
}

/** Behind the marker of each block that was cut. */
function withRef({ put: [put] }: Edit, item: Item, eventAt: EventAt): NewEntry | undefined {
  const before = contentOf(item.id, eventAt)
  if (!put || !('label' in put) || put.type !== 'TOOL_RESULT' || before?.kind !== 'result')
    return undefined
  const content = put.data.content.map((block, at) =>
    block.text === undefined || block.text === before.result.content[at]?.text
      ? block
      : { ...block, text: `${block.text} ${readRef(item.id, eventAt)}` },
  )
  return resultWith(put.data, content, 'trimmed')
}

// The last rung: the newest user message, the pins, and the state of the work

/** What a bare note takes. */
const NOTE_TOKENS = 80
const MOST_NOTE_TOKENS = 4_000

/**
 * Everything goes but the newest message of the user and what is behind the last answer that was read.
 * `stateOf` tells what is known of the work, the weightiest first.
 */
export function lastMessage(stateOf: (input: StrategyInput) => Steps<readonly string[]>): Strategy {
  return stepwise({
    id: 'last-message',
    *steps(input) {
      const { context, eventAt, pins = [] } = input
      const items = context.items.toArray()
      const newest = lastSaid(items, eventAt)
      const open = heldStart(input)
      const unseen = cutUnseen(input)
      const capped = [...unseen].flatMap(([item, most]) => cappedEntry(item, most, eventAt) ?? [])
      const held = pinnedEntries(items, context.open, pins)
      const text = pinnedText(pins)
      const fixed = items.reduce(
        (sum, item, at) => (at >= open || held.has(item.id) ? sum + item.tokens : sum),
        weightOf(context) - context.tokens + (text === undefined ? 0 : weighText(text)),
      )
      const spared = capped.reduce((sum, { saved }) => sum + saved, 0)
      const target = input.targetTokens ?? Math.floor(weightOf(context) / 2)
      const gone = new Set(items.flatMap((_, at) => (at !== newest && at < open ? [at] : [])))
      const spoken = spokenNote(items, gone, eventAt, target)
      const room = target - fixed + spared - (spoken === undefined ? 0 : weighText(spoken))
      const said = items[newest]
      const isFree = said !== undefined && newest < open && !held.has(said.id)
      const edits = capped.filter(({ saved }) => saved > 0).map(({ edit }) => edit)
      let rest = room
      if (isFree) {
        const shorter =
          said.tokens + NOTE_TOKENS > room
            ? cappedEntry(said, Math.max(0, room - 2 * NOTE_TOKENS), eventAt)
            : undefined
        if (shorter && shorter.saved > 0) edits.push(shorter.edit)
        rest -= said.tokens - Math.max(0, shorter?.saved ?? 0)
      }
      const noteTokens = Math.max(NOTE_TOKENS, Math.min(MOST_NOTE_TOKENS, rest))
      const state = yield* stateOf(input)
      const drops = dropEdits({ items, gone, eventAt, noteTokens, spoken, state })
      return { edits: [...edits, ...drops] }
    },
  })
}

const STATE_LINES = 60

function* stateOf(input: StrategyInput): Steps<readonly string[]> {
  return ledgerLines(yield* readLedger(input), STATE_LINES).map(oneLine)
}

/** Replayed from the whole log where it can be had, else from what of it is in the context. */
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
  // Once more, where what the user said last is too long to stay whole in any case.
  { strategy: extract, startsOver: true, countsPins: true, isLast: true },
  { strategy: lastMessage(stateOf), isLast: true, countsPins: true },
]

export const cascade = createCascade(LADDER)
