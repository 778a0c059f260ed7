// Rungs of the ladder that are no strategies by themselves: trimming with refs, and what is left in the end
import type { Edit, NewEntry } from '../../core/edit/change.ts'
import { pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import {
  proposing,
  type Steps,
  type Strategy,
  type StrategyInput,
  stepwise,
} from '../../core/edit/strategy.ts'
import type { EventAt } from '../../core/log/event.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { roundsOf } from '../../core/view/seam.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { lastSaid } from '../drop-note.ts'
import { dropEdits, spokenNote } from '../drop-turns.ts'
import { WHOLE_ROUNDS } from '../mask.ts'
import { cutUnseen, heldStart } from '../range.ts'
import { readRef, resultWith, rewriteOf, trimToolResults, untilSaved } from '../trim.ts'
import { cappedEntry } from './edits.ts'

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
