// Detects an overflow that the provider did not report, from the answer.
import { PrecisError } from '../../core/errors.ts'
import type { EndFrame, ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Block, StopReason, TokenUsage } from '../../core/view/content.ts'
import type { MessagePart } from '../../core/view/message.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'

/** An answer, and what is known about its request. */
export interface AnswerSigns {
  readonly stopReason: StopReason
  readonly rawStopReason?: string
  readonly usage?: TokenUsage
  /** Absent if unknown: a default says nothing about the model. */
  readonly windowTokens?: number
  /** The expected length of the request. Without it, silent truncation is undetectable. */
  readonly estimatedTokens?: number
}

/** The stop reason of Anthropic, Bedrock and Z.ai if the answer does not fit, either. */
const WINDOW_FULL = 'model_context_window_exceeded'

/** Estimates may be off by a quarter; beyond that the server read something else. */
const ESTIMATE_ERROR = 1.25

const FULL_SHARE = 0.99

/** Below this share of the estimate something is missing, whatever the window and tokenizer. */
const READ_SHARE = 0.6

/** Templates add and drop words, so small requests may differ by more than the share. */
const SMALLEST_GAP_TOKENS = 500

/** Why the answer indicates an overflow; undefined if it does not. */
export function silentOverflow(signs: AnswerSigns): string | undefined {
  const { stopReason, rawStopReason, usage, windowTokens, estimatedTokens = 0 } = signs
  if (rawStopReason === WINDOW_FULL) return 'the answer filled the window'
  if (usage === undefined) return undefined
  const { promptTokens, completionTokens } = usage
  if (windowTokens !== undefined) {
    if (promptTokens > windowTokens)
      return 'the request was longer than the window, and was answered'
    const isFull = promptTokens >= FULL_SHARE * windowTokens
    if (stopReason === 'length' && completionTokens === 0 && isFull)
      return 'the request left no room for an answer'
  }
  const isBeyondWindow =
    windowTokens !== undefined &&
    estimatedTokens > windowTokens &&
    estimatedTokens > ESTIMATE_ERROR * promptTokens
  const isFarBelow =
    promptTokens < READ_SHARE * estimatedTokens &&
    estimatedTokens - promptTokens > SMALLEST_GAP_TOKENS
  return isBeyondWindow || isFarBelow ? 'the server read less than it was sent' : undefined
}

export interface OverflowFacts {
  /** Undefined if only a default is known. */
  windowOf(model: string): number | undefined
  /** Whether the server may silently truncate long prompts; requests are then estimated. */
  readonly cutsSilently: boolean
  /** A refused request was longer than the window, which holds this much at most. */
  onRefused?(model: string, mostTokens: number): void
  /** A prompt of this length was answered. */
  onAnswered?(model: string, promptTokens: number): void
}

/** Wraps a provider so that its answers report an overflow (`EndFrame.overflow`). */
export function noticingOverflow(provider: Provider, facts: OverflowFacts): Provider {
  const { countTokens, windowOf } = provider
  return {
    id: provider.id,
    async *stream(request) {
      try {
        for await (const frame of provider.stream(request)) yield noticed(frame, request, facts)
      } catch (thrown) {
        const most = mostThatFits(thrown, request)
        if (most !== undefined) facts.onRefused?.(request.model, most)
        throw thrown
      }
    },
    ...(countTokens && { countTokens: countTokens.bind(provider) }),
    ...(windowOf && { windowOf: windowOf.bind(provider) }),
  }
}

/** What the provider names, or the refused request itself. What was never sent shows nothing. */
function mostThatFits(thrown: unknown, request: ModelRequest): number | undefined {
  if (!PrecisError.is(thrown) || thrown.code !== 'overflow') return undefined
  const { provider, windowTokens } = thrown.details ?? {}
  if (provider === undefined) return undefined
  if (typeof windowTokens === 'number') return windowTokens
  if (request.messages.some(({ parts }) => parts.some(hasMedia))) return undefined
  return computeEstimate(request) + estimateTokens(JSON.stringify(request.tools))
}

/** One document may be longer than all the text, and no estimate counts it. */
function hasMedia(part: MessagePart): boolean {
  const parts = part.type === 'tool_result' ? part.content : [part]
  return parts.some(({ type }) => type === 'image' || type === 'document')
}

function noticed(frame: ModelFrame, request: ModelRequest, facts: OverflowFacts): ModelFrame {
  if (frame.type !== 'end') return frame
  if (frame.usage) facts.onAnswered?.(request.model, frame.usage.promptTokens)
  const windowTokens = facts.windowOf(request.model)
  const overflow = silentOverflow({
    ...findSigns(frame),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(facts.cutsSilently && { estimatedTokens: computeEstimate(request) }),
  })
  return overflow === undefined ? frame : { ...frame, overflow }
}

function findSigns({ stopReason, rawStopReason, usage }: EndFrame): AnswerSigns {
  return {
    stopReason,
    ...(rawStopReason !== undefined && { rawStopReason }),
    ...(usage && { usage }),
  }
}

/** What every template includes: texts and call arguments. */
export function computeEstimate({ system, messages }: ModelRequest): number {
  const parts = messages.flatMap(({ parts: each }) => each.map(countPart))
  return [...system.map(estimateTokens), ...parts].reduce((sum, tokens) => sum + tokens, 0)
}

function countPart(part: MessagePart): number {
  switch (part.type) {
    case 'text':
    case 'system_reminder':
      return estimateTokens(part.text)
    case 'tool_call':
      return estimateTokens(JSON.stringify(part.arguments))
    case 'tool_result':
      return part.content.reduce((sum, { text = '' }: Block) => sum + estimateTokens(text), 0)
    default:
      return 0
  }
}
