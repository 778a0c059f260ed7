// Messages from entries: the only place where a context becomes what a provider is sent.
import type { EntryId } from './change.ts'
import type { Answer, Part, ToolCall, ToolResult, ToolStatus, UserContent } from './content.ts'
import type { Context } from './context.ts'
import { callsAfter, callsOfAnswer, type Item, newEntryAt, parseEntryId } from './entry.ts'
import type { EventAt } from './event.ts'
import type { Message, MessagePart, ToolResultPart } from './message.ts'
import { type Round, roundsOf } from './seam.ts'

/** Something in the log that no provider would accept as it is, and what was done about it. */
export interface Problem {
  readonly code:
    | 'orphan-result'
    | 'duplicate-result'
    | 'abandoned-call'
    | 'open-call'
    | 'missing-row'
  readonly entry: EntryId
  readonly message: string
}

export interface Built {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly problems: readonly Problem[]
}

/** What an entry says, whether it is an original or came with a change. */
export type EntryContent =
  | { readonly kind: 'user'; readonly content: UserContent }
  | { readonly kind: 'answer'; readonly answer: Answer; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'reminder'; readonly text: string }
  | { readonly kind: 'checkpoint'; readonly id: string }
  | { readonly kind: 'gap' }

/** Of several results for one call the most telling counts; ties keep the first. */
const PRIORITY: Readonly<Record<ToolStatus, number>> = {
  denied: 4,
  failed: 3,
  aborted: 2,
  completed: 1,
}

export function outranks(status: ToolStatus, other: ToolStatus): boolean {
  return PRIORITY[status] > PRIORITY[other]
}

/** The content of an entry, from the rows of the log. Undefined where a row is missing. */
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
        return { kind: 'result', result: entry.data }
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
      return { kind: 'result', result: event.data }
    case 'SYSTEM_REMINDER':
      return { kind: 'reminder', text: event.data }
    case 'CHECKPOINT':
      return { kind: 'checkpoint', id: event.data.id }
    default:
      return undefined
  }
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
      if (round) user.results = roundResults(round, items, context.open, eventAt, paired, problems)
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

/** The results of a round by call. A call that will never have one is answered here as aborted. */
function roundResults(
  round: Round,
  items: readonly Item[],
  open: ReadonlySet<string>,
  eventAt: EventAt,
  paired: Set<number>,
  problems: Problem[],
): MessagePart[] {
  const calls = items[round.start]?.calls ?? []
  return calls.flatMap((call): ToolResultPart[] => {
    const indices = round.results.get(call)
    for (const index of indices ?? []) paired.add(index)
    if (indices) {
      const best = bestResult(indices, items, eventAt)
      for (const index of indices)
        if (index !== best.index) problems.push(duplicate(items[index] as Item))
      return [
        { type: 'tool_result', id: call, content: best.result.content, status: best.result.status },
      ]
    }
    const waiting = open.has(call) && round.end > items.length
    problems.push(unanswered(round.answer, call, waiting))
    return waiting
      ? []
      : [{ type: 'tool_result', id: call, content: [NO_RESULT], status: 'aborted' }]
  })
}

const NO_RESULT = { type: 'text', text: 'The call was interrupted and has no result.' } as const
const EMPTY_RESULT: ToolResult = { content: [], status: 'aborted' }

function bestResult(indices: readonly number[], items: readonly Item[], eventAt: EventAt) {
  const results = indices.map((index) => {
    const content = contentOf((items[index] as Item).id, eventAt)
    return { index, result: content?.kind === 'result' ? content.result : EMPTY_RESULT }
  })
  return results.reduce((best, next) =>
    outranks(next.result.status, best.result.status) ? next : best,
  )
}

function missingRow(item: Item): Problem {
  return {
    code: 'missing-row',
    entry: item.id,
    message: `The row of ${item.id} is not there; it was left out.`,
  }
}

function orphan(item: Item): Problem {
  return {
    code: 'orphan-result',
    entry: item.id,
    message: `The result ${item.id} has no call; it was left out.`,
  }
}

function duplicate(item: Item): Problem {
  return {
    code: 'duplicate-result',
    entry: item.id,
    message: `${item.id} is a second result for its call.`,
  }
}

function unanswered(entry: EntryId, call: string, waiting: boolean): Problem {
  return waiting
    ? { code: 'open-call', entry, message: `The call ${call} still waits for its result.` }
    : {
        code: 'abandoned-call',
        entry,
        message: `The call ${call} never got a result; it is answered as aborted.`,
      }
}
