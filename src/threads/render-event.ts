// Renders events as text: author, time and every word, without thinking
import type { ThreadEvent } from '../core/log/event.ts'
import { blockCaption, callInWords, partInWords } from '../core/repair/result-content.ts'
import type { ToolCall } from '../core/view/content.ts'
import { originalId } from '../core/view/entry.ts'

/** `[e12 user, 2026-01-31 10:00]` and what was said. */
export function renderEvent(event: ThreadEvent, calls: readonly ToolCall[]): string {
  const time = event.timestamp.toISOString().slice(0, 16).replace('T', ' ')
  const status = event.type === 'TOOL_RESULT' ? `, ${event.data.status}` : ''
  return `[${originalId(event.seq)} ${findSpeaker(event)}, ${time}${status}]\n${readBody(event, calls)}`
}

/** `user`, `agent`, `result of read` where the name of the tool is known. */
export function findSpeaker(event: ThreadEvent, tool?: string): string {
  switch (event.type) {
    case 'USER_MESSAGE':
      return 'user'
    case 'AGENT_MESSAGE':
      return 'agent'
    case 'TOOL_RESULT':
      return `result of ${tool ?? `call ${event.data.id ?? 'unknown'}`}`
    default:
      return event.type.toLowerCase().replaceAll('_', ' ')
  }
}

/** What was said; a result in full, whatever the model was shown of it. */
export function readBody(event: ThreadEvent, calls: readonly ToolCall[]): string {
  switch (event.type) {
    case 'USER_MESSAGE':
      if (typeof event.data === 'string') return event.data
      return lines(event.data.map((part) => (part.type === 'tool_call' ? '' : partInWords(part))))
    case 'TOOL_CALL':
      return textOfCall(event.data)
    case 'AGENT_MESSAGE':
      return lines([event.data.content, ...calls.map(textOfCall)])
    case 'TOOL_RESULT':
      return lines(event.data.content.map((block) => block.text ?? blockCaption(block)))
    case 'SYSTEM_REMINDER':
      return event.data
    case 'CHECKPOINT':
      return event.data.id
    default:
      return ''
  }
}

function textOfCall({ id, name, arguments: given }: ToolCall): string {
  return callInWords({ type: 'tool_call', id, name, arguments: given })
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
