// The last rung: the newest user message, the pins, and the state of the work.
import { pinnedEntries, pinnedText } from '../../core/edit/pins.ts'
import { type Strategy, type StrategyInput, stepwise } from '../../core/edit/strategy.ts'
import type { Steps } from '../../core/steps.ts'
import { weightOf } from '../../core/view/context.ts'
import { weighText } from '../../core/window/tokens/weigh.ts'
import { lastSaid } from '../drop-note.ts'
import { dropEdits, spokenNote } from '../drop-turns.ts'
import { cutUnseen, heldStart } from '../range.ts'
import { cappedEntry } from './cap-giants.ts'

/** The size of a bare note. */
const NOTE_TOKENS = 80

const MOST_NOTE_TOKENS = 4_000

/**
 * Keeps only the newest user message and what follows the last read answer. `stateOf` returns the state of
 * the work, most important first.
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
