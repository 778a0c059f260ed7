// Whether Ollama read less than it was sent: older servers cut a long prompt without a word.
import type { TokenUsage } from '../../core/content.ts'
import type { Json } from '../../core/json.ts'
import type { EndFrame } from '../../core/model.ts'
import { estimateTokens } from '../../core/tokens/estimate.ts'
import { type Fields, isFields } from '../../wire/openai-chat/fields.ts'
import { silentOverflow } from '../silent-overflow.ts'

export interface Truncation {
  readonly model: string
  readonly reason: string
  readonly promptTokens: number
  readonly estimatedTokens: number
  readonly windowTokens?: number
}

/** Below this share of the estimate something is missing, whatever the model's tokenizer is. */
const READ_SHARE = 0.6
/** Small requests differ by more than their share: templates add and drop words. */
const SMALLEST_GAP_TOKENS = 500

export function truncationOf(
  model: string,
  body: Fields,
  end: EndFrame,
  windowTokens: number | undefined,
): Truncation | undefined {
  const { usage, stopReason } = end
  if (usage === undefined) return undefined
  const estimatedTokens = estimateOf(body)
  const known = windowTokens === undefined ? {} : { windowTokens }
  const signs = { stopReason, usage, estimatedTokens }
  const reason =
    (windowTokens === undefined ? undefined : silentOverflow({ ...signs, windowTokens })) ??
    (isFarBelow(usage, estimatedTokens) ? 'the server read less than it was sent' : undefined)
  if (reason === undefined) return undefined
  return { model, reason, promptTokens: usage.promptTokens, estimatedTokens, ...known }
}

function isFarBelow({ promptTokens }: TokenUsage, estimatedTokens: number): boolean {
  const gap = estimatedTokens - promptTokens
  return promptTokens < READ_SHARE * estimatedTokens && gap > SMALLEST_GAP_TOKENS
}

/** What every template shows of a request, and no more: texts, and the arguments of calls. */
function estimateOf({ messages }: Fields): number {
  const list: readonly Json[] = Array.isArray(messages) ? messages : []
  return list.reduce<number>((sum, message) => {
    if (!isFields(message)) return sum
    const { content, tool_calls: calls } = message
    const text = typeof content === 'string' ? estimateTokens(content) : 0
    return sum + text + (calls === undefined ? 0 : estimateTokens(JSON.stringify(calls)))
  }, 0)
}
