// Thinking of Claude models: its levels, and which of its blocks are still valid in the next request.

import type { ModelRequest, ThinkingWish } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'

/** `adaptive` models reject a token number; `budget` models accept nothing else. */
export type ThinkingStyle = 'adaptive' | 'budget' | 'none'

/** The API's minimum; the budget must also leave room for the answer. */
const SMALLEST_BUDGET_TOKENS = 1_024
const BUDGET_OF_EFFORT = { low: 2_048, medium: 8_192, high: 16_384 } as const

export interface ThinkingQuestion {
  readonly request: ModelRequest
  readonly messages: readonly Json[] // in wire format
  readonly style: ThinkingStyle
  /** Ask the API to drop outdated thinking, if this style of thinking can ask. */
  readonly dropsStale: boolean
  readonly note: (problem: string) => void
}

export function thinkingFields(question: ThinkingQuestion): Fields {
  const { request, messages, style, dropsStale, note } = question
  const { thinking, maxOutputTokens } = request
  if (style === 'none') return {}
  if (style === 'adaptive') return adaptiveFields(thinking, dropsStale)
  if (thinking === undefined) return {}
  const budget = computeBudget(thinking, maxOutputTokens)
  if (budget === undefined) {
    note(`thinking was left out: ${maxOutputTokens} output tokens leave no room for it`)
    return {}
  }
  if (!mayBegin(messages)) {
    note('thinking was left out: the open tool round began without it')
    return {}
  }
  return { thinking: { type: 'enabled', budget_tokens: budget, ...bindingFields(dropsStale) } }
}

/** Whether these fields ask the API to drop it. */
export function asksToDrop({ thinking }: Fields): boolean {
  return isFields(thinking) && 'block_binding' in thinking
}

/** The request to drop outdated blocks is a field of thinking, so it enables thinking. */
function adaptiveFields(wish: ThinkingWish | undefined, dropsStale: boolean): Fields {
  return {
    ...((wish !== undefined || dropsStale) && {
      thinking: { type: 'adaptive', ...bindingFields(dropsStale) },
    }),
    ...(wish?.effort !== undefined && { output_config: { effort: wish.effort } }),
  }
}

function bindingFields(dropsStale: boolean): Fields {
  return dropsStale ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {}
}

function computeBudget(
  { effort, budgetTokens }: ThinkingWish,
  maxOutputTokens: number,
): number | undefined {
  const wished = budgetTokens ?? BUDGET_OF_EFFORT[effort ?? 'medium']
  const budget = Math.min(Math.max(wished, SMALLEST_BUDGET_TOKENS), maxOutputTokens - 1)
  return budget < SMALLEST_BUDGET_TOKENS ? undefined : budget
}

/**
 * A turn with tool calls must have started with thinking (VALID-A12), in its first or last answer. A turn
 * started by another provider's model has no readable thinking.
 */
function mayBegin(messages: readonly Json[]): boolean {
  const last = messages.findLastIndex((message) => readRole(message) === 'assistant')
  if (!typesIn(messages[last]).includes('tool_use')) return true
  let start = last
  while (start > 0 && !isNewTurn(messages[start - 1])) start -= 1
  const first = messages.slice(start).find((message) => readRole(message) === 'assistant')
  return [first, messages[last]].some((answer) =>
    /^(?:redacted_)?thinking$/.test(typesIn(answer)[0] ?? ''),
  )
}

function isNewTurn(message: Json | undefined): boolean {
  return readRole(message) === 'user' && !typesIn(message).includes('tool_result')
}

function readRole(message: Json | undefined): Json | undefined {
  return isFields(message) ? message.role : undefined
}

function typesIn(message: Json | undefined): readonly string[] {
  const blocks = isFields(message) && Array.isArray(message.content) ? message.content : []
  return blocks.map((block: Json) => (isFields(block) ? String(block.type) : ''))
}
