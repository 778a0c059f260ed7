// Asks a model for a summary: the conversation, then the request, and no tools.
import type { ModelRef } from '../core/content.ts'
import { PrecisError } from '../core/errors.ts'
import type { Message } from '../core/message.ts'
import type { AskAnswer, ModelPort } from '../core/ports.ts'
import type { CompactionContext } from '../core/strategy.ts'

export interface SummaryRequest {
  readonly provider: ModelPort
  readonly messages: readonly Message[]
  readonly prompt: string
  readonly run: CompactionContext
  readonly instructions: string | undefined
  readonly conversation: ModelRef | undefined
}

/** Rejects with `aborted` when the signal fired, and with `model-failed` on an empty or broken answer. */
export async function askForSummary(request: SummaryRequest): Promise<AskAnswer> {
  const { provider, messages, run, instructions, conversation } = request
  const prompt = instructions
    ? `${request.prompt}\n\nThe user adds: ${instructions}`
    : request.prompt
  const answer = await provider.ask({
    messages: [...messages, { role: 'user', parts: [{ type: 'text', text: prompt }] }],
    model: run.model ?? 'default',
    ...(conversation && { conversation }),
    ...(run.signal && { signal: run.signal }),
  })
  if (run.signal?.aborted)
    throw new PrecisError('aborted', 'The summary was aborted; nothing was changed.')
  if (answer.stopReason !== 'end')
    throw new PrecisError(
      'model-failed',
      `The summary did not come to an end (${answer.stopReason}).`,
      {
        hint: 'Try again, choose another model, or use a strategy that needs none.',
        retryable: answer.stopReason === 'error',
      },
    )
  if (answer.text.trim() === '')
    throw new PrecisError('model-failed', 'The model answered with an empty summary.')
  return answer
}

export function noModel(message: string): PrecisError {
  return new PrecisError('no-model', message, {
    hint: 'Name a model (models.default, --model); `dev` tries it out without a key. trim-tool-results needs none.',
  })
}
