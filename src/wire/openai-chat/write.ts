// A model request as the body of a Chat Completions call.
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { WireNames } from '../names.ts'
import { wellFormed } from '../prepare.ts'
import type { Note } from '../rounds.ts'
import { chatMessages } from './messages.ts'
import { type ChatProfile, readEffort } from './profile.ts'

export interface Written {
  readonly body: Fields
  /** The name of a tool as the request knows it, from the one on the wire. */
  toolName(wireName: string): string
}

export function writeChat(request: ModelRequest, profile: ChatProfile, note: Note): Written {
  const names = new WireNames(note)
  const tools = request.tools.map((tool) => chatTool(tool, names))
  const messages = [
    ...systemMessage(request.system, profile),
    ...chatMessages(request.messages, profile, names, note),
  ]
  const effort = request.thinking && profile.takesEffort ? readEffort(request.thinking) : undefined
  const body = {
    model: request.model,
    messages,
    // An empty list is refused, and so is a choice without tools.
    ...(tools.length > 0 && { tools, tool_choice: request.toolChoice }),
    [profile.outputLimit]: request.maxOutputTokens,
    ...(effort && { reasoning_effort: effort }),
    ...(!profile.strict && { store: false }),
    ...nativeFields(request, profile.provider),
    stream: true,
    stream_options: { include_usage: true },
  }
  return { body: wellFormed(body, note), toolName: (wireName) => names.originalOf(wireName) }
}

/** What only this provider understands, as the request brings it. */
export function nativeFields({ native }: ModelRequest, provider: string): Fields {
  return native?.provider === provider ? native.fields : {}
}

/** One field of those, to be merged with our own of the same name. */
export function nativeObject(request: ModelRequest, provider: string, name: string): Fields {
  const value = nativeFields(request, provider)[name]
  return isFields(value) ? value : {}
}

export function chatTool(tool: ToolSchema, names: WireNames): Json {
  return {
    type: 'function',
    function: {
      name: names.of(tool.name),
      description: tool.description,
      parameters: tool.inputSchema,
    },
  }
}

function systemMessage(system: readonly string[], { systemRole }: ChatProfile): Json[] {
  const content = systemText(system)
  return content === '' ? [] : [{ role: systemRole, content }]
}

export function systemText(system: readonly string[]): string {
  return system.filter((text) => text.trim() !== '').join('\n\n')
}
