// The content of an entry, from log rows.
import type { EntryId } from '../edit/change.ts'
import type { EventAt } from '../log/event.ts'
import type { Answer, Block, ToolCall, ToolResult, ToolStatus, UserContent } from './content.ts'
import { callsAfter, callsOfAnswer, newEntryAt, parseEntryId } from './entry.ts'

/** The content of an original or added entry. */
export type EntryContent =
  | { readonly kind: 'user'; readonly content: UserContent }
  | { readonly kind: 'answer'; readonly answer: Answer; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'reminder'; readonly text: string }
  | { readonly kind: 'checkpoint'; readonly id: string }
  | { readonly kind: 'gap' }

/** The content of an entry; undefined if a row is missing. */
export function contentOf(id: EntryId, eventAt: EventAt): EntryContent | undefined {
  const parsed = parseEntryId(id)
  if (!parsed.original) {
    if (eventAt(parsed.seq) === undefined) return undefined
    const entry = newEntryAt(id, eventAt)
    switch (entry?.type) {
      case undefined:
        return { kind: 'gap' }
      case 'USER_MESSAGE':
        return { kind: 'user', content: entry.data }
      case 'AGENT_MESSAGE':
        return {
          kind: 'answer',
          answer: entry.data,
          calls: callsOfAnswer(entry.of, entry.data, eventAt),
        }
      case 'TOOL_RESULT':
        return { kind: 'result', result: shownResult(id, entry.data) }
      case 'SYSTEM_REMINDER':
        return { kind: 'reminder', text: entry.data }
    }
  }
  const event = eventAt(parsed.seq)
  switch (event?.type) {
    case 'USER_MESSAGE':
      return { kind: 'user', content: event.data }
    case 'AGENT_MESSAGE':
      return {
        kind: 'answer',
        answer: event.data,
        calls: callsAfter(event.seq, event.data, eventAt),
      }
    case 'TOOL_RESULT':
      return { kind: 'result', result: shownResult(id, event.data) }
    case 'SYSTEM_REMINDER':
      return { kind: 'reminder', text: event.data }
    case 'CHECKPOINT':
      return { kind: 'checkpoint', id: event.data.id }
    default:
      return undefined
  }
}

/** A partly shown result says where the whole is. */
function shownResult(id: EntryId, result: ToolResult): ToolResult {
  const { shown, ...rest } = result
  if (shown === undefined) return result
  const whole: Block = { type: 'text', text: `[The whole result can be read again: ref ${id}]` }
  return { ...rest, content: [...shown, whole] }
}

/** Of several results for one call the most informative counts; the first of equals. */
const PRIORITY: Readonly<Record<ToolStatus, number>> = {
  denied: 4,
  failed: 3,
  aborted: 2,
  completed: 1,
}

export function outranks(status: ToolStatus, other: ToolStatus): boolean {
  return PRIORITY[status] > PRIORITY[other]
}
