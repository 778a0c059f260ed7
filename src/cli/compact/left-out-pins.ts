// Sentences of the user that bind and found no room in a small budget: whoever compacts has to know.
import type { ProposalRecord } from '../../compaction/plan.ts'
import type { Composed } from '../../compose.ts'
import { FOUND_PINS_TOKENS, findPins, type PinningPolicy } from '../../core/edit/detected-pins.ts'
import { pinsReducer, releasedPinsReducer } from '../../core/edit/pins.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { loadThread } from '../session/session.ts'

/** From here on there is room for as many as are ever kept. */
const ROOMY_TOKENS = 10 * FOUND_PINS_TOKENS
const MOST_SHOWN = 10

/** Their texts; to be asked before the compaction is applied. */
export async function unpinnedSentences(
  composed: Composed,
  threadId: string,
  { targetTokens = ROOMY_TOKENS, pins: kept = [] }: ProposalRecord,
  policy: PinningPolicy,
): Promise<string[]> {
  if (targetTokens >= ROOMY_TOKENS) return []
  const { context, eventAt } = await loadThread(composed, threadId)
  const state = await composed.threads.state(threadId)
  const pins = reducedBy(state, pinsReducer)
  const released = reducedBy(state, releasedPinsReducer)
  const texts = new Set(kept.map(({ text }) => text))
  const found = findPins(context, eventAt, { pins, released }, policy)
  return found.flatMap(({ text }) => (texts.has(text) ? [] : [text]))
}

/** A remark on those that are nowhere in the result. */
export async function leftOutRemarks(
  { threads }: Composed,
  threadId: string,
  sentences: readonly string[],
): Promise<string[]> {
  if (sentences.length === 0) return []
  const result = JSON.stringify((await threads.messages(threadId)).messages)
  const gone = sentences.filter((text) => !result.includes(JSON.stringify(text).slice(1, -1)))
  const more = gone.length - MOST_SHOWN
  return [
    ...gone
      .slice(0, MOST_SHOWN)
      .map(
        (text) =>
          `a sentence that binds did not fit into the budget; to keep it: --pin ${JSON.stringify(text)}`,
      ),
    ...(more > 0 ? [`${more} more sentences that bind did not fit into the budget`] : []),
  ]
}
