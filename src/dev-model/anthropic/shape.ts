// Fields that an Anthropic request must have, must not have, or may not combine.
import type { Json } from '../../core/json.ts'
import { type Fields, fieldsOf, isGiven, listOf } from '../../validate/walk.ts'
import type { Refusal } from '../wire-format.ts'

/** Everything that a request may hold; the API refuses a field that it does not know. */
const KNOWN = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'stream',
  'stop_sequences',
  'temperature',
  'top_k',
  'top_p',
  'metadata',
  'cache_control',
  'compaction',
  'container',
  'context_management',
  'diagnostics',
  'fallback_credit_token',
  'fallbacks',
  'inference_geo',
  'mcp_servers',
  'output_config',
  'output_format',
  'service_tier',
  'speed',
  'thread',
])
const MIN_BUDGET_TOKENS = 1_024

export function shapeOfAnthropic(body: Fields, isCounting: boolean): Refusal | undefined {
  const message = [
    ...missing(body, isCounting),
    ...strange(body),
    ...misshapen(body),
    ...uncombined(body),
  ][0]
  return message === undefined ? undefined : { kind: 'invalid', message }
}

function missing(body: Fields, isCounting: boolean): readonly string[] {
  const needed = isCounting ? ['model', 'messages'] : ['model', 'max_tokens', 'messages']
  return needed.filter((name) => !isGiven(body[name])).map((name) => `${name}: Field required`)
}

function strange(body: Fields): readonly string[] {
  return Object.keys(body)
    .filter((name) => !KNOWN.has(name))
    .map((name) => `${name}: Extra inputs are not permitted`)
}

function misshapen(body: Fields): readonly string[] {
  const { model, messages, max_tokens, tools, system } = body
  return [
    ...unless(typeof model === 'string', 'model: Input should be a valid string'),
    ...unless(Array.isArray(messages), 'messages: Input should be a valid list'),
    ...unless(!isGiven(tools) || Array.isArray(tools), 'tools: Input should be a valid list'),
    ...unless(
      !isGiven(system) || typeof system === 'string' || Array.isArray(system),
      'system: Input should be a valid string or list',
    ),
    ...unless(
      !isGiven(max_tokens) || isCount(max_tokens),
      'max_tokens: Input should be greater than or equal to 1',
    ),
  ]
}

function uncombined({ thinking, tool_choice, tools, max_tokens }: Fields): readonly string[] {
  const { type, budget_tokens } = fieldsOf(thinking)
  const choice = fieldsOf(tool_choice).type
  const isEnabled = type === 'enabled'
  const budget = typeof budget_tokens === 'number' ? budget_tokens : 0
  const isForced = choice === 'any' || choice === 'tool'
  return [
    ...unless(
      !isEnabled || budget >= MIN_BUDGET_TOKENS,
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET_TOKENS}`,
    ),
    ...unless(
      !isEnabled || typeof max_tokens !== 'number' || max_tokens > budget,
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ),
    ...unless(
      !isForced || !(isEnabled || type === 'adaptive'),
      'Thinking may not be enabled when tool_choice forces tool use.',
    ),
    ...unless(
      choice === undefined || listOf(tools).length > 0,
      'tool_choice may only be specified while providing tools.',
    ),
  ]
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}

function unless(isFine: boolean, message: string): readonly string[] {
  return isFine ? [] : [message]
}
