// The tool call that asked for a compaction, and how the compaction ends it.
import type { Edit } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventAt } from '../../core/log/event.ts'
import { type Answer, type Part, textOfParts } from '../../core/view/content.ts'
import type { Context } from '../../core/view/context.ts'
import type { Item } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { openRoundStart } from '../../core/view/seam.ts'

const COMPACTED_TEXT = 'I compacted the thread'

/** The answer with an open call, and whether it has others. */
export interface ClosingCall {
  readonly place: number // index of the answer
  readonly answer: Item
  readonly isAlone: boolean
}

/** An error if the call is not open: aborted, or never made. */
export function findClosingCall(context: Context, call: string): ClosingCall | PrecisError {
  const place = openRoundStart(context.items, context.open)
  const answer = context.items.at(place)
  if (!context.open.has(call) || !answer)
    return new PrecisError('invalid-input', `The call ${call} does not wait for a result.`, {
      where: `call ${call}`,
      hint: 'Close only a call of the last answer that has no result yet.',
    })
  const isAlone = answer.calls?.every((id) => id === call) ?? false
  return { place, answer, isAlone }
}

/** Rewrites the answer: its request becomes a sentence. Removes its thinking, which led to a call. */
export function closeAsText({ answer }: ClosingCall, eventAt: EventAt): Edit[] {
  const content = contentOf(answer.id, eventAt)
  if (content?.kind !== 'answer') return []
  const data = withoutCall(content.answer)
  const put = [{ type: 'AGENT_MESSAGE' as const, data, label: 'closed' as const, of: answer.id }]
  return [{ covers: [answer.id], put }]
}

function withoutCall(answer: Answer): Answer {
  const done: Part = { type: 'text', text: COMPACTED_TEXT }
  const before: readonly Part[] = answer.parts ?? [{ type: 'text', text: answer.content }]
  const said = before.flatMap((part): Part[] => {
    if (part.type === 'thinking' || part.type === 'redacted_thinking') return []
    if (part.type === 'text' && part.text === '') return []
    return [part.type === 'tool_call' ? done : part]
  })
  const parts = said.includes(done) ? said : [...said, done]
  const { parts: _, ...rest } = answer
  return {
    ...rest,
    content: textOfParts(parts),
    ...(parts.length > 1 && { parts }),
    calls: [],
    ...(answer.stopReason === 'tool_use' && { stopReason: 'end' }),
  }
}
