// An Ollama body as the Chat Completions body that says the same: its rules are the ones to check.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'

/** Ollama publishes no rules of its own, and hands a request to the same templates. */
export function asChat(body: Fields): Fields {
  const { messages, tools } = body
  const list: readonly Json[] = Array.isArray(messages) ? messages : []
  return {
    messages: list.map((message) => (isFields(message) ? asChatMessage(message) : message)),
    ...(tools !== undefined && { tools }),
  }
}

function asChatMessage({ role, content, tool_calls: calls, tool_call_id: id, images }: Fields) {
  const list: readonly Json[] = Array.isArray(calls) ? calls : []
  return {
    role: role ?? null,
    // A message of images alone says something.
    content: content === '' && images !== undefined ? '(images)' : (content ?? null),
    ...(id !== undefined && { tool_call_id: id }),
    ...(calls !== undefined && { tool_calls: list.filter(isFields).map(asChatCall) }),
  }
}

function asChatCall({ id = null, function: body }: Fields): Json {
  const { name = null, arguments: given = null } = isFields(body) ? body : {}
  return {
    id: id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }
}
