// `summarize`: the conversation's own model writes eight sections; the last two events stay.
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { missingSections } from '../../core/edit/gate-summary.ts'
import type { Strategy, WrittenSummary } from '../../core/edit/strategy.ts'
import type { Item } from '../../core/view/entry.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { seamsOf } from '../../core/view/seam.ts'
import { unseenStart } from '../whole-range.ts'
import { askForSummary, noModel } from './ask-for-summary.ts'
import { withFloor } from './floor.ts'
import { markedSummary } from './marked-summary.ts'
import { EIGHT_HEADINGS, EIGHT_SECTIONS } from './prompts/eight-sections.ts'
import { withUsersWords } from './prompts/summarizer.ts'

const KEPT_EVENTS = 2
/** A conversation this short is summarised as a whole. */
const SHORT_EVENTS = 3
/** Of the eight sections so many may be wanting; that is said then. */
const MAY_LACK = 4

export const summarize: Strategy = withFloor({
  id: 'summarize',
  async propose(input) {
    const { context, eventAt, run, instructions } = input
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
    const { text, metadata, told } = markedSummary(answer, input)
    const written = inSections(answer.text, items.slice(0, end))
    const missing = missingSections(answer.text, written.sections ?? [])
    if (missing.length > 0 && missing.length <= MAY_LACK)
      run.onWarning?.(`The summary lacks sections: ${missing.join(', ')}.`)
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
        ...metadata,
        summaryGenerated: true,
        recentEventCount: items.slice(end).reduce((sum, item) => sum + eventsOf(item), 0),
        preservedUserMessages: items.slice(end).filter((item) => item.kind === 'user').length,
        strategy: 'summarize',
        ...(missing.length > 0 && { missingSections: missing }),
      },
      ...told,
      written: [written],
    }
  },
})

/** Of little, any text that says something will do. */
function inSections(text: string, replaced: readonly Item[]): WrittenSummary {
  const tokens = replaced.reduce((sum, item) => sum + item.tokens, 0)
  if (tokens < GATE_MIN_TOKENS) return { text }
  return { text, sections: EIGHT_HEADINGS, fewestSections: EIGHT_HEADINGS.length - MAY_LACK }
}

/** The kept part is extended back to the nearest seam, so that no tool round is split. */
function summarisedUpTo(items: readonly Item[], open: ReadonlySet<string>): number {
  const seams = seamsOf(items, open)
  const total = items.reduce((sum, item) => sum + eventsOf(item), 0)
  let end = items.length
  if (total > SHORT_EVENTS)
    for (let kept = 0; kept < KEPT_EVENTS && end > 0; kept += eventsOf(items[end] as Item)) end -= 1
  end = Math.min(end, unseenStart(items))
  while (end > 0 && !seams[end]) end -= 1
  return end
}

function eventsOf(item: Item): number {
  if (item.kind === 'gap') return 0
  return item.kind === 'answer' ? 1 + (item.calls?.length ?? 0) : 1
}
