// Builds a model request: the thread's messages, its tools, and the output limit.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import type { Built } from '../../core/view/build.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import type { WindowStatus } from './window-status.ts'

/** `aside` follows the thread's messages and is not stored. */
export function requestFor(
  seen: WindowStatus,
  built: Built,
  signal: AbortSignal,
  aside?: Message,
): ModelRequest {
  const { model, outputTokens, preset } = seen
  const messages = preset.checkpoints ? built.messages : withoutCheckpoints(built.messages)
  return {
    model: model.model,
    system: built.system,
    messages: aside ? [...messages, aside] : messages,
    tools: buildSchemas(seen),
    toolChoice: 'auto',
    maxOutputTokens: outputTokens,
    ...readThinking(seen),
    cache: true,
    signal,
  }
}

/** Drops checkpoints from before a change of preset: no tool can use them now. */
function withoutCheckpoints(messages: readonly Message[]): readonly Message[] {
  const isCheckpoint = ({ type }: MessagePart) => type === 'checkpoint'
  if (!messages.some(({ parts }) => parts.some(isCheckpoint))) return messages
  return messages
    .map(({ role, parts }) => ({ role, parts: parts.filter((part) => !isCheckpoint(part)) }))
    .filter(({ parts }) => parts.length > 0)
}

/** The tool schemas, byte-identical each time for the provider's cache. */
export function buildSchemas({ tools }: WindowStatus): ToolSchema[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
}

export function readThinking({ model, choices }: WindowStatus): Pick<ModelRequest, 'thinking'> {
  const effort = readEffort(choices.thinking)
  return effort && model.canThink ? { thinking: { effort } } : {}
}

function readEffort(thinking: string | undefined): 'low' | 'medium' | 'high' | undefined {
  return thinking === 'low' || thinking === 'medium' || thinking === 'high' ? thinking : undefined
}
