// A recognisable name of an entry: speaker and beginning, or the call it answers.
import { readSubject } from '../ledger/call-fields.ts'
import type { EventAt } from '../log/event.ts'
import { textOfUserContent } from '../view/content.ts'
import { findRoot, parseEntryId } from '../view/entry.ts'
import { contentOf } from '../view/entry-content.ts'
import { cutHead } from '../window/tokens/cut.ts'
import type { EntryId } from './change.ts'

const NAME_CHARS = 80

/** One line without terminal control characters. */
export function nameOfEntry(id: EntryId, eventAt: EventAt): string {
  const name = longName(id, eventAt)
    .slice(0, 4 * NAME_CHARS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return cutHead(name, NAME_CHARS)
}

function longName(id: EntryId, eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      return `user: ${textOfUserContent(content.content)}`
    case 'answer':
      return `answer: ${content.answer.content || content.calls.map(({ name }) => name).join(', ')}`
    case 'result':
      return `result of ${callName(id, content.result.id, eventAt)}`
    case 'reminder':
      return `reminder: ${content.text}`
    case 'checkpoint':
      return `checkpoint ${content.id}`
    default:
      return id
  }
}

/** The call of the result's round. */
function callName(id: EntryId, callId: string | undefined, eventAt: EventAt): string {
  const root = parseEntryId(findRoot(id, eventAt))
  for (let at = root.seq - 1; at > 0; at -= 1) {
    const event = eventAt(at)
    if (event === undefined || event.type === 'AGENT_MESSAGE' || event.type === 'USER_MESSAGE')
      break
    if (event.type === 'TOOL_CALL' && event.data.id === callId)
      return `${event.data.name} ${readSubject(event.data.arguments)}`
  }
  return callId ?? 'a call'
}
