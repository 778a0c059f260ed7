// Allowed fields of requests to OpenAI's two APIs, from the official SDK.
import { ANY, byRole, bytes, isBase64, only, readList, type Schema, tagged } from '../schema.ts'

/** Inline bytes, or a web address. */
const IMAGE_URL = bytes((url) => {
  const data = /^data:image\/[\w.+-]+;base64,(.*)$/s.exec(url)?.[1]
  return data === undefined ? /^https?:\/\/./.test(url) : isBase64(data)
})

const PARTS = readList(
  tagged({
    text: only('text prompt_cache_breakpoint'),
    image_url: only('prompt_cache_breakpoint', { image_url: only('detail', { url: IMAGE_URL }) }),
    input_audio: only('prompt_cache_breakpoint', { input_audio: only('data format') }),
    file: only('prompt_cache_breakpoint', { file: only('file_data file_id filename') }),
    refusal: only('refusal'),
  }),
)
const SAID = { content: PARTS }

/** An answer is sent back unchanged, with its empty annotations. */
const CHAT_MESSAGES: Readonly<Record<string, Schema>> = {
  system: only('name', SAID),
  developer: only('name', SAID),
  user: only('name', SAID),
  assistant: only('name annotations audio function_call refusal', {
    content: PARTS,
    tool_calls: readList(
      tagged({
        function: only('id', { function: only('name arguments') }),
        custom: only('id', { custom: only('name input') }),
      }),
    ),
  }),
  tool: only('tool_call_id name', SAID),
  function: only('name', SAID),
}

const CHAT_FIELDS =
  'model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream temperature tool_choice top_logprobs top_p user verbosity web_search_options'

export const CHAT_REQUEST: Schema = only(CHAT_FIELDS, {
  messages: readList(byRole(CHAT_MESSAGES)),
  stream_options: only('include_obfuscation include_usage'),
  tools: readList(
    tagged({
      function: only('', { function: only('name description parameters strict') }),
      custom: only('custom'),
    }),
  ),
})

const INPUT_PARTS: Readonly<Record<string, Schema>> = {
  input_text: only('text prompt_cache_breakpoint'),
  input_image: only('detail file_id prompt_cache_breakpoint', { image_url: IMAGE_URL }),
  input_file: only('detail file_data file_id file_url filename prompt_cache_breakpoint'),
  input_audio: only('input_audio'),
}
const ITEM_PARTS = readList(
  tagged({
    ...INPUT_PARTS,
    output_text: only('annotations text logprobs'),
    refusal: only('refusal'),
  }),
)
const OUTPUT = { output: readList(tagged(INPUT_PARTS)) }

const ITEMS: Readonly<Record<string, Schema>> = {
  message: only('id role status phase', { content: ITEM_PARTS }),
  reasoning: only('id summary content encrypted_content status'),
  function_call: only('id arguments call_id name async caller namespace status'),
  function_call_output: only('id call_id caller name namespace status', OUTPUT),
  custom_tool_call: only('id call_id input name async caller namespace status'),
  custom_tool_call_output: only('id call_id caller status', OUTPUT),
  compaction: only('id encrypted_content'),
  compaction_trigger: only('id'),
  configuration_update: only('id reasoning text'),
  item_reference: only('id'),
  additional_tools: only('id role tools'),
  tool_search_call: only('id arguments call_id execution status'),
  tool_search_output: only('id tools call_id execution status'),
  web_search_call: only('id action status'),
  file_search_call: only('id queries status results'),
  code_interpreter_call: only('id code container_id outputs status'),
  image_generation_call: ANY,
  computer_call: only('id call_id pending_safety_checks status action actions'),
  computer_call_output: only('id call_id output acknowledged_safety_checks status'),
  local_shell_call: only('id action call_id status'),
  local_shell_call_output: only('id call_id output status'),
  shell_call: only('id action call_id caller environment status'),
  shell_call_output: only('id call_id output caller max_output_length status'),
  apply_patch_call: only('id call_id operation status caller'),
  apply_patch_call_output: only('id call_id status caller output'),
  mcp_list_tools: only('id server_label tools error'),
  mcp_approval_request: only('id arguments name server_label'),
  mcp_approval_response: only('id approval_request_id approve reason'),
  mcp_call: only('id arguments name server_label approval_request_id error output status'),
  program: only('id call_id code fingerprint'),
  program_output: only('id call_id result status'),
}

const RESPONSES_FIELDS =
  'model access_programs background client_metadata context_management conversation image include instructions max_output_tokens max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user'

export const RESPONSES_REQUEST: Schema = only(RESPONSES_FIELDS, {
  input: readList(tagged(ITEMS, 'message')),
  reasoning: only('context effort generate_summary mode summary'),
})

/** The user's own tools; those of the provider change more often. */
export const RESPONSES_FUNCTION: Schema = only(
  'type name parameters strict allowed_callers async defer_loading description output_schema',
)
