// The text of a context entry, for people
import type { EntryId } from '../../core/edit/change.ts'
import type { EventAt } from '../../core/log/event.ts'
import { blockCaption, callInWords, partInWords } from '../../core/repair/as-text.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'

/** Of one entry; the whole can be read by its ref. */
const ENTRY_CHARS = 20_000

export function entryText(id: EntryId, eventAt: EventAt, mostChars = ENTRY_CHARS): string {
  const text = wholeText(id, eventAt)
  return text.length <= mostChars ? text : `${cutHead(text, mostChars)}\n[… ref:${id}]`
}

function wholeText(id: EntryId, eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      if (typeof content.content === 'string') return content.content
      return content.content
        .map((part) => (part.type === 'tool_call' ? '' : partInWords(part)))
        .join('\n')
    case 'answer': {
      const calls = content.calls.map(({ id: callId, name, arguments: given }) =>
        callInWords({ type: 'tool_call', id: callId, name, arguments: given }),
      )
      return [content.answer.content, ...calls].filter(Boolean).join('\n')
    }
    case 'result':
      return content.result.content.map((block) => block.text ?? blockCaption(block)).join('\n')
    case 'reminder':
      return content.text
    case 'checkpoint':
      return content.id
    default:
      return ''
  }
}
