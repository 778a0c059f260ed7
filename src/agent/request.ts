// What a model is sent: the messages of a thread, its tools, and how long the answer may be.
import type { Built } from '../core/build.ts'
import type { Message, MessagePart } from '../core/message.ts'
import type { ModelRequest } from '../core/model.ts'
import type { Look } from './look.ts'

/** `aside` is sent behind the messages of the thread, and not kept. */
export function requestFor(
  { model, tools, outputTokens, choices, preset }: Look,
  built: Built,
  signal: AbortSignal,
  aside?: Message,
): ModelRequest {
  const effort = effortOf(choices.thinking)
  const { messages, staleThinking } = preset.checkpoints ? built : withoutCheckpoints(built)
  return {
    model: model.model,
    system: built.system,
    messages: aside ? [...messages, aside] : messages,
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    toolChoice: 'auto',
    maxOutputTokens: outputTokens,
    ...(effort && model.canThink && { thinking: { effort } }),
    cache: true,
    ...(staleThinking && { dropStaleThinking: true }),
    signal,
  }
}

/** Those from before the preset was changed: the model has no tool any more that could name them. */
function withoutCheckpoints(built: Built): Pick<Built, 'messages' | 'staleThinking'> {
  const has = (...types: readonly MessagePart['type'][]) =>
    built.messages.some(({ parts }) => parts.some(({ type }) => types.includes(type)))
  if (!has('checkpoint')) return built
  const messages = built.messages
    .map(({ role, parts }) => ({ role, parts: parts.filter(({ type }) => type !== 'checkpoint') }))
    .filter(({ parts }) => parts.length > 0)
  // Thinking that was made behind other words does not fit any more.
  return { messages, staleThinking: has('thinking', 'redacted_thinking') }
}

function effortOf(thinking: string | undefined): 'low' | 'medium' | 'high' | undefined {
  return thinking === 'low' || thinking === 'medium' || thinking === 'high' ? thinking : undefined
}
