// Anthropic's errors: status, type, and wording for each broken rule.
import type { Json } from '../../core/text/json.ts'
import type { Violation } from '../../validate/rule.ts'
import { sseFrame } from '../http.ts'
import { readId } from '../seal.ts'
import type { HttpAnswer, Refusal } from '../wire-format.ts'
import { BAD_SIGNATURE } from './thinking.ts'

interface ErrorFields {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  readonly details?: Json
}

export function refuseAnthropic(refusal: Refusal): HttpAnswer {
  const told = tell(refusal)
  const requestId = readId('req_', told.message)
  return {
    status: told.status,
    headers: { 'request-id': requestId, ...told.headers },
    body: { ...errorBody(told), request_id: requestId },
  }
}

export function anthropicErrorFrame(refusal: Refusal): string {
  return sseFrame(errorBody(tell(refusal)), 'error')
}

function errorBody({ type, message, details }: ErrorFields): { readonly [key: string]: Json } {
  return { type: 'error', error: { type, message, ...(details !== undefined && { details }) } }
}

function tell(refusal: Refusal): ErrorFields {
  switch (refusal.kind) {
    case 'invalid':
      return invalid(refusal.message)
    case 'rules':
      return tellRule(refusal.violations[0])
    case 'overflow':
      return invalid(`${overflowMessage(refusal)} (VALID-A19)`)
    case 'unauthorised': {
      const message = refusal.isMissing ? 'x-api-key header is required' : 'invalid x-api-key'
      return { status: 401, type: 'authentication_error', message }
    }
    case 'not-found':
      return { status: 404, type: 'not_found_error', message: refusal.message }
    case 'too-large': {
      const message = 'Request exceeds the maximum size (VALID-A18)'
      return { status: 413, type: 'request_too_large', message }
    }
    case 'rate-limit': {
      const message = 'This request would exceed the rate limit for your organization.'
      const headers = { 'retry-after': String(refusal.retryAfterS) }
      return { status: 429, type: 'rate_limit_error', message, headers }
    }
    case 'overloaded':
      return { status: 529, type: 'overloaded_error', message: 'Overloaded' }
    case 'server-error':
      return { status: 500, type: 'api_error', message: 'Internal server error' }
  }
}

function invalid(message: string): ErrorFields {
  return { status: 400, type: 'invalid_request_error', message }
}

function overflowMessage(of: Extract<Refusal, { kind: 'overflow' }>): string {
  const { inputTokens, outputTokens, windowTokens } = of
  if (inputTokens > windowTokens) {
    return `prompt is too long: ${inputTokens} tokens > ${windowTokens} maximum`
  }
  return `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${outputTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`
}

/** The provider's wording, then the rule and what our own check reports. */
function tellRule({ id, where, message }: Violation): ErrorFields {
  const words = WORDS[id]?.(where, message)
  const place = where.replaceAll(/\[(\d+)\]/g, '.$1')
  const said = `${place}: ${words === undefined ? message : words} (${id}: ${message})`
  if (id !== 'VALID-A15') return invalid(said)
  return { ...invalid(said), details: { error_code: compactionCode(where, message) } }
}

/** The SDK has a separate error class for each. */
function compactionCode(where: string, message: string): string {
  if (message.includes('what was signed')) return 'compaction_content_mismatch'
  if (where.endsWith('.signature')) return 'compaction_signature_invalid'
  if (message.includes('one compaction')) return 'compaction_block_ambiguous'
  return 'compaction_block_misplaced'
}

const BEHIND_CALL =
  '`tool_use` ids were found without `tool_result` blocks immediately after. Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
const CHANGED_PREFIX =
  'this `thinking` block failed the conversation check: the system prompt, the tools or the messages before it have changed since it was created'

/** Place and finding → the API's answer, where known. */
const WORDS: Readonly<Record<string, (where: string, found: string) => string>> = {
  'VALID-A1': (where) =>
    where.endsWith('.role')
      ? "Input should be 'user' or 'assistant'"
      : where === 'messages'
        ? 'at least one message is required'
        : 'all messages must have non-empty content except for the optional final assistant message',
  'VALID-A2': () => 'first message must use the "user" role',
  'VALID-A3': () =>
    'roles must alternate between "user" and "assistant", but found multiple of one role in a row',
  'VALID-A4': () => BEHIND_CALL,
  'VALID-A5': () =>
    'unexpected `tool_use_id` found in `tool_result` blocks. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  'VALID-A6': () => BEHIND_CALL,
  'VALID-A7': (where) =>
    where.endsWith('.input')
      ? 'Input should be a valid dictionary'
      : "String should match pattern '^[a-zA-Z0-9_-]+$', and `tool_use` ids must be unique",
  'VALID-A8': () => 'Requests which include `tool_use` or `tool_result` blocks must define tools',
  'VALID-A9': (where) =>
    where.endsWith('.cache_control')
      ? 'cache_control cannot be set for thinking blocks'
      : 'text content blocks must contain non-whitespace text',
  'VALID-A10': (where) =>
    where.endsWith('.text')
      ? 'final assistant content cannot end with trailing whitespace'
      : 'This model does not support assistant message prefill. The conversation must end with a user message.',
  'VALID-A11': () => 'all content must be type `text` if `is_error` is true',
  'VALID-A12': (where, found) =>
    found === BAD_SIGNATURE
      ? 'Invalid `signature` in `thinking` block'
      : /\.content\[\d+\]/.test(where)
        ? '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.'
        : 'Expected `thinking` or `redacted_thinking`, but found `tool_use` or `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
  'VALID-A13': () => CHANGED_PREFIX,
  'VALID-A16': () => 'a `system` message must follow a user message and precede an assistant one',
  'VALID-A17': () =>
    "A maximum of 4 blocks with cache_control may be provided, and a ttl='1h' block must not come after a ttl='5m' one",
  'VALID-A20': () => 'a server tool use was found without its corresponding result block',
  'VALID-A21': () => 'The request body is not valid JSON: no low surrogate in string',
  'VALID-A22': () => CHANGED_PREFIX,
}
