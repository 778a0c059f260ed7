// `summarize`: the conversation's own model writes eight sections; the last two events stay.
import type { Item } from '../core/entry.ts'
import { runsOf } from '../core/run.ts'
import { seamsOf } from '../core/seam.ts'
import type { Strategy } from '../core/strategy.ts'
import { asProse } from './as-data.ts'
import { askForSummary, noModel } from './ask-for-summary.ts'
import { EIGHT_SECTIONS } from './prompts/eight-sections.ts'
import { withUsersWords } from './prompts/summarizer.ts'
import { markedAgainst } from './summary-checks.ts'
import { sourceOf } from './summary-source.ts'

const KEPT_EVENTS = 2
/** A conversation this short is summarised as a whole. */
const SHORT_EVENTS = 3

export const summarize: Strategy = {
  id: 'summarize',
  async propose({ context, eventAt, run, instructions }) {
    const { provider } = run
    if (!provider) throw noModel('Summarization requires an Agent instance or AI provider')
    const items = context.items.toArray()
    const end = summarisedUpTo(items, context.open)
    if (end === 0) return { edits: [] }
    const answer = await askForSummary({
      provider,
      input: { context, eventAt, run },
      items: items.slice(0, end),
      prompt: withUsersWords(EIGHT_SECTIONS, instructions),
      form: 'conversation',
    })
    const { text, unverified, stripped } = markedAgainst(
      asProse(answer.text),
      sourceOf(context, eventAt, instructions),
    )
    return {
      edits: [
        {
          covers: runsOf(items.slice(0, end), eventAt),
          put: [
            {
              type: 'USER_MESSAGE',
              data: `📝 Summary of previous conversation:\n\n${text}`,
              label: 'summary',
            },
          ],
        },
      ],
      metadata: {
        summaryGenerated: true,
        summaryLength: answer.text.length,
        recentEventCount: items.slice(end).reduce((sum, item) => sum + eventsOf(item), 0),
        preservedUserMessages: items.slice(end).filter((item) => item.kind === 'user').length,
        strategy: 'summarize',
        ...(unverified.length > 0 && { unverified }),
        ...(stripped > 0 && { inventedRequests: stripped }),
      },
      stopReason: answer.stopReason,
      written: [{ text: answer.text }],
      ...(answer.usage && { usage: answer.usage }),
    }
  },
}

/** The kept part is extended back to the nearest seam, so that no tool round is split. */
function summarisedUpTo(items: readonly Item[], open: ReadonlySet<string>): number {
  const seams = seamsOf(items, open)
  const total = items.reduce((sum, item) => sum + eventsOf(item), 0)
  let end = items.length
  if (total > SHORT_EVENTS)
    for (let kept = 0; kept < KEPT_EVENTS && end > 0; kept += eventsOf(items[end] as Item)) end -= 1
  while (end > 0 && !seams[end]) end -= 1
  return end
}

function eventsOf(item: Item): number {
  if (item.kind === 'gap') return 0
  return item.kind === 'answer' ? 1 + (item.calls?.length ?? 0) : 1
}
