// Allowed fields and blocks of an Anthropic request, from the official SDK.
import { ANY, bytes, isBase64, only, readList, type Schema, tagged } from '../schema.ts'

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

/** The content of a result from the provider's own tool is not checked. */
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
  // VALID-A15 defines its fields: extra ones have their own error.
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

/** The user's own tools. Provider tools have versions and more kinds than are listed here. */
export const ANTHROPIC_TOOL: Schema = tagged({ custom: CUSTOM_TOOL }, 'custom')
