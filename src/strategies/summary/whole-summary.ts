// `whole-summary`: a model writes one summary, and it replaces the thread as the agent's own `compact` would.
import { CONTINUE_AFTER_FOLD } from '../../core/edit/continue-prompt.ts'
import type { Strategy } from '../../core/edit/strategy.ts'
import { Sequence } from '../../core/log/sequence.ts'
import { bareWhole } from '../ranges/agent-replacements.ts'
import { wholeRange } from '../whole-range.ts'
import { askForSummary, noModel } from './ask-for-summary.ts'
import { withFloor } from './floor.ts'
import { markedSummary } from './marked-summary.ts'
import { withUsersWords } from './prompts/summarizer.ts'
import { WHOLE_SUMMARY } from './prompts/whole.ts'

/** A round that is still open stays; so does, where nobody asked for this, a question without an answer. */
export const wholeSummaryByModel: Strategy = withFloor({
  id: 'whole-summary',
  async propose(input) {
    const { context, eventAt, run, instructions } = input
    const { provider } = run
    if (!provider) throw noModel('whole-summary requires a model')
    const { covered, continues } = wholeRange(input)
    if (covered.every((item) => item.kind === 'gap')) return { edits: [] }
    const answer = await askForSummary({
      provider,
      input: { context, eventAt, run },
      items: covered,
      prompt: withUsersWords(WHOLE_SUMMARY, instructions),
      form: 'conversation',
    })
    const { text, metadata, told } = markedSummary(answer, input)
    const replacing = bareWhole({
      summary: text,
      files: [],
      ...(continues && { continuation: CONTINUE_AFTER_FOLD }),
    })
    const whole = { ...context, items: Sequence.from(covered), open: new Set<string>() }
    const { edits } = await replacing.propose({ ...input, context: whole })
    return { edits, metadata, ...told }
  },
})
