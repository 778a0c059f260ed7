// The model of a conversation: that of its latest answer
import type { EventAt } from '../log/event.ts'
import type { ModelRef } from './content.ts'
import type { Context } from './context.ts'
import { contentOf } from './entry-content.ts'

/** Undefined if no answer in the context says which model gave it. */
export function conversationModel(context: Context, eventAt: EventAt): ModelRef | undefined {
  for (const item of context.items.toArray().toReversed()) {
    if (item.kind !== 'answer') continue
    const content = contentOf(item.id, eventAt)
    if (content?.kind === 'answer' && content.answer.model) return content.answer.model
  }
  return undefined
}
