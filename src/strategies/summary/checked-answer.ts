// One request for a summary, and an answer that may be used as one.
import { saysNothing } from '../../core/edit/empty-summary.ts'
import { PrecisError } from '../../core/errors.ts'
import type { AskAnswer, AskRequest, ModelPort } from '../../core/ports.ts'

/** Rejects with `aborted` when the signal fired, and with `model-failed` on an empty or broken answer. */
export async function checkedAnswer(provider: ModelPort, request: AskRequest): Promise<AskAnswer> {
  const { signal } = request
  if (signal?.aborted) throw aborted()
  const answer = await provider.ask(request)
  if (signal?.aborted) throw aborted()
  const { stopReason, text, usage } = answer
  const details = { ...(usage && { usage }) }
  if (stopReason !== 'end')
    throw new PrecisError('model-failed', `The summary did not come to an end (${stopReason}).`, {
      hint: 'Try again, choose another model, or use a strategy that needs none.',
      retryable: stopReason === 'error',
      details,
    })
  if (saysNothing(text))
    throw new PrecisError('model-failed', 'The model answered with an empty summary.', {
      details: { ...details, ending: 'empty' },
    })
  return answer
}

function aborted(): PrecisError {
  return new PrecisError('aborted', 'The summary was aborted; nothing was changed.')
}
