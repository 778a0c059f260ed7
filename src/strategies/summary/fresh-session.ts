// `fresh-session`: the whole conversation becomes a summary that opens a new thread; the old one stays as it is.
import type { Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { AskAnswer } from '../../core/ports.ts'
import { asProse } from './as-data.ts'
import { askForSummary, noModel } from './ask-for-summary.ts'
import { checkAgainstSource } from './checks.ts'
import { summaryMessage } from './envelope.ts'
import { floorForFresh } from './floor.ts'
import { SUMMARIZATION_PROMPT } from './prompts/handoff.ts'
import { withFocus } from './prompts/summarizer.ts'
import { sourceOf } from './source.ts'

const OUTPUT_TOKENS = 8_192
const NO_MODEL = 'No model configured'

/** Proposes no edit: whoever runs it starts the new thread with `fresh.message`. */
export const freshSession: Strategy = {
  id: 'fresh-session',
  async propose(input) {
    const { context, eventAt, run, instructions } = input
    const { provider } = run
    if (!provider) throw noModel(NO_MODEL)
    const items = context.items.toArray()
    const answer = await askForSummary({
      provider,
      input: { context, eventAt, run },
      items,
      prompt: withFocus(SUMMARIZATION_PROMPT, instructions),
      form: 'conversation',
      maxOutputTokens: OUTPUT_TOKENS,
    }).catch(inItsWords)
    const { text, unverified } = checkAgainstSource(
      asProse(answer.text),
      sourceOf(context, eventAt, instructions),
      'disarmed',
    )
    const { summary, carried } = await floorForFresh(input, text)
    return {
      edits: [],
      fresh: {
        message: summaryMessage(summary),
        summary,
        unverified,
        ...(carried !== undefined && { carried }),
      },
      stopReason: answer.stopReason,
      written: [{ text: answer.text }],
      ...(answer.usage && { usage: answer.usage }),
    }
  },
}

/** What the design says if there is no model, or no summary. */
function inItsWords(error: unknown): AskAnswer {
  if (!PrecisError.is(error)) throw error
  if (error.code === 'no-model') throw noModel(NO_MODEL)
  if (error.details.ending !== 'empty') throw error
  throw new PrecisError('model-failed', 'Failed to generate summary', { cause: error })
}
