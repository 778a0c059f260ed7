// Contexts that did not fit although nobody said so: what an answer tells about it.
import type { StopReason, TokenUsage } from '../core/content.ts'

/** An answer that came although the context did not fit, as far as can be told from outside. */
export interface AnswerSigns {
  readonly stopReason: StopReason
  readonly rawStopReason?: string
  readonly usage?: TokenUsage
  readonly windowTokens: number
  /** How long the request should be. Without it, a silent cut cannot be seen. */
  readonly estimatedTokens?: number
}

/** An estimate may be a quarter off; beyond that, the server read something else than was sent. */
const ESTIMATE_ERROR = 1.25
const FULL_SHARE = 0.99

/** Why the answer is one to a context that did not fit, or undefined. */
export function silentOverflow(signs: AnswerSigns): string | undefined {
  const { stopReason, rawStopReason, usage, windowTokens, estimatedTokens } = signs
  if (rawStopReason === 'model_context_window_exceeded') return 'the answer filled the window'
  if (usage === undefined) return undefined
  const { promptTokens, completionTokens } = usage
  if (promptTokens > windowTokens) return 'the request was longer than the window, and was answered'
  if (
    stopReason === 'length' &&
    completionTokens === 0 &&
    promptTokens >= FULL_SHARE * windowTokens
  )
    return 'the request left no room for an answer'
  const isCut =
    estimatedTokens !== undefined &&
    estimatedTokens > windowTokens &&
    estimatedTokens > ESTIMATE_ERROR * promptTokens
  return isCut ? 'the server read less than it was sent' : undefined
}
