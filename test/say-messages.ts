// Short words for what a provider is sent, so that a test of a wire reads as its conversation.
import type { ModelRequest } from '../src/core/model.ts'
import type { Json } from '../src/core/text/json.ts'
import type { ToolStatus } from '../src/core/view/content.ts'
import type { Message, MessagePart } from '../src/core/view/message.ts'

export function text(value: string): MessagePart {
  return { type: 'text', text: value }
}

export function user(...parts: MessagePart[]): Message {
  return { role: 'user', parts }
}

export function agent(...parts: MessagePart[]): Message {
  return { role: 'assistant', parts }
}

export function call(id: string, name = 'read', args: Json = {}): MessagePart {
  return { type: 'tool_call', id, name, arguments: args }
}

export function result(
  id: string,
  texts: readonly string[] = [],
  status: ToolStatus = 'completed',
): MessagePart {
  const content = texts.map((each) => ({ type: 'text' as const, text: each }))
  return { type: 'tool_result', id, content, status }
}

/** A small request with what the test is about. */
export function requestOf(given: Partial<ModelRequest>): ModelRequest {
  return {
    model: 'm',
    system: [],
    messages: [user(text('hi'))],
    tools: [],
    toolChoice: 'auto',
    maxOutputTokens: 100,
    cache: false,
    ...given,
  }
}
