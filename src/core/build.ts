// Messages from entries: the only place where a context becomes what a provider is sent.
import type { Answer, Part, ToolCall, UserContent } from './content.ts'
import type { Context } from './context.ts'
import { contentOf } from './entry-content.ts'
import type { EventAt } from './event.ts'
import type { Message, MessagePart } from './message.ts'
import { missingRow, orphan, type Problem, roundResults } from './round-results.ts'
import { roundsOf } from './seam.ts'

export interface Built {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly problems: readonly Problem[]
}

/**
 * One assistant message for each answer, its calls where they stood; all results of its round first in
 * the user message after it, in the order of the calls; then user content, reminders, and a checkpoint,
 * which closes the message. Orphans and duplicates are left out and reported.
 */
export function buildMessages(context: Context, eventAt: EventAt): Built {
  const items = context.items.toArray()
  const rounds = new Map(roundsOf(items, context.open).map((round) => [round.start, round]))
  const messages: Message[] = []
  const problems: Problem[] = []
  const paired = new Set<number>()
  let user = new UserMessage()
  const flush = () => {
    if (!user.isEmpty) messages.push(user.message())
    user = new UserMessage()
  }
  items.forEach((item, index) => {
    const content = contentOf(item.id, eventAt)
    if (content === undefined) problems.push(missingRow(item))
    else if (content.kind === 'answer') {
      flush()
      const parts = answerParts(
        content.answer,
        content.calls,
        item.hide?.includes('thinking') ?? false,
      )
      if (parts.length > 0) messages.push({ role: 'assistant', parts })
      const round = rounds.get(index)
      if (!round) return
      const results = roundResults({
        round,
        calls: content.calls,
        items,
        open: context.open,
        eventAt,
      })
      user.results = [...results.parts]
      for (const at of results.paired) paired.add(at)
      problems.push(...results.problems)
    } else if (content.kind === 'result') {
      if (!paired.has(index)) problems.push(orphan(item))
    } else if (content.kind === 'user') {
      if (user.content.length > 0 || user.closed) flush()
      user.content = userParts(content.content)
    } else if (content.kind === 'reminder') {
      if (user.closed) flush()
      user.reminders.push({ type: 'system_reminder', text: content.text })
    } else if (content.kind === 'checkpoint') {
      if (user.closed) flush()
      user.checkpoint = { type: 'checkpoint', id: content.id }
    }
  })
  flush()
  return { system: systemPrompts(context, eventAt), messages, problems }
}

class UserMessage {
  results: MessagePart[] = []
  content: MessagePart[] = []
  readonly reminders: MessagePart[] = []
  checkpoint: MessagePart | undefined

  get closed(): boolean {
    return this.checkpoint !== undefined
  }
  get isEmpty(): boolean {
    return this.parts().length === 0
  }
  message(): Message {
    return { role: 'user', parts: this.parts() }
  }
  private parts(): MessagePart[] {
    return [
      ...this.results,
      ...this.content,
      ...this.reminders,
      ...(this.checkpoint ? [this.checkpoint] : []),
    ]
  }
}

function systemPrompts(context: Context, eventAt: EventAt): string[] {
  return [context.head.system, context.head.userSystem]
    .map((seq) => (seq === undefined ? undefined : eventAt(seq)))
    .flatMap((event) =>
      event?.type === 'SYSTEM_PROMPT' || event?.type === 'USER_SYSTEM_PROMPT' ? [event.data] : [],
    )
}

function answerParts(
  answer: Answer,
  calls: readonly ToolCall[],
  hideThinking: boolean,
): MessagePart[] {
  const open = new Map(calls.map((call) => [call.id, call]))
  const take = (id: string): MessagePart[] => {
    const call = open.get(id)
    if (!call) return []
    open.delete(id)
    return [{ type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments }]
  }
  const source: readonly Part[] = answer.parts ?? [{ type: 'text', text: answer.content }]
  const parts = source.flatMap((part): MessagePart[] => {
    if (part.type === 'tool_call') return take(part.callId)
    if (part.type === 'text' && part.text === '') return []
    if (hideThinking && (part.type === 'thinking' || part.type === 'redacted_thinking')) return []
    return [part]
  })
  return [...parts, ...[...open.keys()].flatMap(take)]
}

function userParts(content: UserContent): MessagePart[] {
  const parts: readonly Part[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts.flatMap((part) =>
    part.type === 'tool_call' || (part.type === 'text' && part.text === '') ? [] : [part],
  )
}
