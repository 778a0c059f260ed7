// Anthropic's errors: status, type, and wording for each broken rule
// Allowed fields and blocks of an Anthropic request, from the official SDK
import type { Json } from '../../core/text/json.ts'
import type { Violation } from '../../validate/walk.ts'
import { readId } from '../asked.ts'
import { sseFrame } from '../http.ts'
import {
  ANY,
  bytes,
  type HttpAnswer,
  isBase64,
  only,
  type Refusal,
  readList,
  type Schema,
  tagged,
} from '../wire-format.ts'
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

/** The provider's words, then which rule it was and what our own check says of it. */
function tellRule({ id, where, message }: Violation): ErrorFields {
  const words = WORDS[id]?.(where, message)
  const place = where.replaceAll(/\[(\d+)\]/g, '.$1')
  const said = `${place}: ${words === undefined ? message : words} (${id}: ${message})`
  if (id !== 'VALID-A15') return invalid(said)
  return { ...invalid(said), details: { error_code: compactionCode(where, message) } }
}

/** The SDK has an error class of its own for each of these. */
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

/** Place, and what was found there → what the API answers, as far as it is known. */
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

const MARK = tagged({ ephemeral: only('ttl') })
const MARKED = { cache_control: MARK }
const CITATIONS = only('enabled')

const SOURCES: Readonly<Record<string, Schema>> = {
  base64: only('media_type', { data: bytes(isBase64) }),
  url: only('url'),
  file: only('file_id'),
}
const IMAGE = only('transformations', { source: tagged(SOURCES), ...MARKED })
const TEXT = only('text citations', MARKED)
const SEARCH_RESULT = only('source title', {
  content: readList(tagged({ text: TEXT })),
  citations: CITATIONS,
  ...MARKED,
})
const DOCUMENT = only('context title', {
  source: tagged({
    ...SOURCES,
    text: only('data media_type'),
    content: only('', { content: readList(tagged({ text: TEXT, image: IMAGE })) }),
  }),
  citations: CITATIONS,
  ...MARKED,
})
const TOOL_REFERENCE = only('tool_name', MARKED)

const RESULT_BLOCKS: Readonly<Record<string, Schema>> = {
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  search_result: SEARCH_RESULT,
  tool_reference: TOOL_REFERENCE,
  browser_state: only('tabs state_changes', MARKED),
}

/** What a tool of the provider's own answered: its content is the provider's affair. */
const SERVER_RESULT = only('content tool_use_id caller', MARKED)

const BLOCKS: Readonly<Record<string, Schema>> = {
  text: TEXT,
  image: IMAGE,
  document: DOCUMENT,
  search_result: SEARCH_RESULT,
  thinking: only('thinking signature'),
  redacted_thinking: only('data'),
  tool_use: only('id input name caller toolset_name', MARKED),
  tool_result: only('tool_use_id is_error toolset_name', {
    content: readList(tagged(RESULT_BLOCKS)),
    ...MARKED,
  }),
  server_tool_use: only('id input name caller', MARKED),
  web_search_tool_result: SERVER_RESULT,
  web_fetch_tool_result: SERVER_RESULT,
  code_execution_tool_result: SERVER_RESULT,
  bash_code_execution_tool_result: SERVER_RESULT,
  text_editor_code_execution_tool_result: SERVER_RESULT,
  tool_search_tool_result: SERVER_RESULT,
  advisor_tool_result: SERVER_RESULT,
  mcp_tool_use: only('id input name server_name', MARKED),
  mcp_tool_result: only('tool_use_id content is_error', MARKED),
  mcp_tool_listing: only('mcp_server_name tools'),
  container_upload: only('file_id', MARKED),
  tool_addition: only('tool', MARKED),
  tool_removal: only('tool', MARKED),
  fallback: only('from to trigger'),
  // VALID-A15 says what it may hold: extra fields there have an error of their own.
  compaction: ANY,
}

const CUSTOM_TOOL = only(
  'input_schema name allowed_callers defer_loading description eager_input_streaming input_examples strict',
  MARKED,
)

const BINDING = { block_binding: only('prefix_mismatch_behavior') }

const EDITS: Readonly<Record<string, Schema>> = {
  clear_tool_uses_20250919: only('clear_at_least clear_tool_inputs exclude_tools keep trigger'),
  clear_thinking_20251015: only('keep'),
  compact_20260112: only('instructions pause_after_compaction trigger'),
}

export const ANTHROPIC_REQUEST: Schema = only(
  'model max_tokens stream stop_sequences temperature top_k top_p container diagnostics fallback_credit_token fallbacks inference_geo mcp_servers output_format service_tier speed thread tools',
  {
    messages: readList(only('role clear_at output_config', { content: readList(tagged(BLOCKS)) })),
    system: readList(tagged({ text: TEXT })),
    tool_choice: tagged({
      auto: only('disable_parallel_tool_use'),
      any: only('disable_parallel_tool_use'),
      tool: only('name disable_parallel_tool_use'),
      none: only(''),
    }),
    thinking: tagged({
      enabled: only('budget_tokens display', BINDING),
      adaptive: only('display', BINDING),
      between_tools: only(''),
      disabled: only(''),
    }),
    metadata: only('user_id'),
    output_config: only('effort format task_budget'),
    context_management: only('', { edits: readList(tagged(EDITS)) }),
    compaction: tagged({ summarize: only('instructions') }),
    cache_control: MARK,
  },
)

/** Tools of the user's own; those of the provider have versions, and more kinds than are known here. */
export const ANTHROPIC_TOOL: Schema = tagged({ custom: CUSTOM_TOOL }, 'custom')
