// Short words for drafts, so that a test reads as the conversation it is about.
import type { EventDraft } from '../src/core/log/event.ts'
import type { Part, TokenUsage, ToolStatus } from '../src/core/view/content.ts'

export function user(text: string): EventDraft {
  return { type: 'USER_MESSAGE', data: text }
}

export function reminder(text: string): EventDraft {
  return { type: 'SYSTEM_REMINDER', data: text }
}

export function checkpoint(id: string): EventDraft {
  return { type: 'CHECKPOINT', data: { id } }
}

export function system(text: string): EventDraft {
  return { type: 'SYSTEM_PROMPT', data: text }
}

export function local(text: string): EventDraft {
  return { type: 'LOCAL_SYSTEM_MESSAGE', data: text }
}

/** An answer, and its calls to `read`, by id. */
export function answer(text: string, ...calls: string[]): EventDraft[] {
  return [{ type: 'AGENT_MESSAGE', data: { content: text, calls } }, ...calls.map(call)]
}

export function measuredAnswer(text: string, tokenUsage: TokenUsage): EventDraft {
  return { type: 'AGENT_MESSAGE', data: { content: text, calls: [], tokenUsage } }
}

/** An answer that thought first. */
export function thoughtAnswer(thinking: string, text: string, ...calls: string[]): EventDraft[] {
  const parts: Part[] = [
    { type: 'thinking', thinking, signature: 'sig', model: 'anthropic/test' },
    { type: 'text', text },
    ...calls.map((callId): Part => ({ type: 'tool_call', callId })),
  ]
  return [{ type: 'AGENT_MESSAGE', data: { content: text, parts, calls } }, ...calls.map(call)]
}

export function result(
  id: string | undefined,
  text: string,
  status: ToolStatus = 'completed',
): EventDraft {
  return {
    type: 'TOOL_RESULT',
    data: { ...(id !== undefined && { id }), content: [{ type: 'text', text }], status },
  }
}

function call(id: string): EventDraft {
  return {
    type: 'TOOL_CALL',
    data: { id, name: 'read', arguments: { path: `${id}.ts` }, answer: 0 },
  }
}
