// Builds messages from entries: the only place where a context becomes a request.
import type { EntryId } from '../edit/change.ts'
import { CONTINUE_AFTER_COMPACT } from '../edit/continue-prompt.ts'
import type { EventAt } from '../log/event.ts'
import type {
  Answer,
  ModelRef,
  Part,
  RedactedThinkingPart,
  ThinkingPart,
  ToolCall,
  UserContent,
} from './content.ts'
import type { Context } from './context.ts'
import { findRoot, type Item, parseEntryId } from './entry.ts'
import { contentOf } from './entry-content.ts'
import type { Message, MessagePart } from './message.ts'
import { roundsOf } from './seam.ts'
import { missingRow, orphan, type Problem, roundResults, withRef } from './sent-rounds.ts'

/** Who wrote a text in the user's role. */
export type Writer = 'client' | 'tool' | 'model'

export interface Built {
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly problems: readonly Problem[]
  /**
   * Contains thinking whose prefix was rewritten later. A provider that binds thinking must be asked to drop
   * it; our adapters do so.
   */
  readonly staleThinking: boolean
}

/**
 * One assistant message per answer with its calls in place; then a user message with all results of the round
 * in call order, user content, reminders, and a final checkpoint. Orphans and duplicates are omitted and
 * reported.
 */
export function buildMessages(context: Context, eventAt: EventAt): Built {
  const { writers: _, ...built } = buildWithWriters(context, eventAt)
  return built
}

interface AnnotatedBuild extends Built {
  /** User-role messages no person wrote. Not sent to providers. */
  readonly writers: ReadonlyMap<Message, Writer>
}

/** The same for readers that need to know the author. */
export function buildWithWriters(context: Context, eventAt: EventAt): AnnotatedBuild {
  const items = context.items.toArray()
  const rounds = new Map(roundsOf(items, context.open).map((round) => [round.start, round]))
  const last = roundToAnswer(items, eventAt)
  const thinks = shownThinking(items, last)
  const messages: Message[] = []
  const writers = new Map<Message, Writer>()
  const problems: Problem[] = []
  const paired = new Set<number>()
  let staleThinking = false
  let user = new UserMessage()
  const flush = () => {
    if (!user.isEmpty) {
      const message = user.message()
      messages.push(message)
      if (user.writer) writers.set(message, user.writer)
    }
    user = new UserMessage()
  }
  items.forEach((item, index) => {
    const content = contentOf(item.id, eventAt)
    if (content === undefined) problems.push(missingRow(item))
    else if (content.kind === 'answer') {
      flush()
      const said = answerParts(content.answer, content.calls, thinks(index))
      const parts = index === last ? withGivenThinking(said, item.id, eventAt) : said
      if (parts.length > 0)
        messages.push({ role: 'assistant', parts: parts.map((part) => withRef(part, item.id)) })
      staleThinking ||= parts.some(isThinking) && isBehindRewrite(item, context, eventAt)
      const round = rounds.get(index)
      if (!round) return
      const results = roundResults({
        round,
        calls: content.calls,
        items,
        open: context.open,
        active: context.active,
        eventAt,
      })
      user.results = [...results.parts]
      user.isUndone = results.isUndone
      for (const at of results.paired) paired.add(at)
      problems.push(...results.problems)
    } else if (content.kind === 'result') {
      if (!paired.has(index)) problems.push(orphan(item))
    } else if (content.kind === 'user') {
      if (user.content.length > 0 || user.closed) flush()
      user.content = userParts(content.content).map((part) => withRef(part, item.id))
      user.writer = buildWriter(item.id, eventAt)
    } else if (content.kind === 'reminder') {
      if (user.closed) flush()
      // The compaction it reports was undone.
      if (!user.isUndone || content.text !== CONTINUE_AFTER_COMPACT)
        user.reminders.push({ type: 'system_reminder', text: content.text })
    } else if (content.kind === 'checkpoint') {
      if (user.closed) flush()
      user.checkpoint = { type: 'checkpoint', id: content.id }
    }
  })
  flush()
  return { system: systemPrompts(context, eventAt), messages, writers, problems, staleThinking }
}

/** The last answer, if it called tools; otherwise the end. */
function roundToAnswer(items: readonly Item[], eventAt: EventAt): number {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index]
    const content = item?.kind === 'answer' ? contentOf(item.id, eventAt) : undefined
    if (content?.kind !== 'answer') continue
    if (content.calls.length > 0) return index
    const isSent = answerParts(content.answer, [], !item?.hide?.includes('thinking')).some(
      (part) => part.type !== 'text' || part.text.trim() !== '',
    )
    if (isSent) break
  }
  return items.length
}

/**
 * Whether an answer's thinking is shown. Hidden oldest first: if some is hidden, so is everything before.
 * Only the open round always keeps its own.
 */
function shownThinking(items: readonly Item[], last: number): (index: number) => boolean {
  const hidden = items.findLastIndex((item, at) => at !== last && item.hide?.includes('thinking'))
  return (index) => items[index]?.thinkingTokens !== undefined && (index === last || index > hidden)
}

/** A rewritten answer with all of the model's thinking. */
function withGivenThinking(
  parts: readonly MessagePart[],
  id: EntryId,
  eventAt: EventAt,
): readonly MessagePart[] {
  const root = contentOf(findRoot(id, eventAt), eventAt)
  const given = root?.kind === 'answer' ? (root.answer.parts ?? []).filter(isThinking) : []
  if (parts.filter(isThinking).length >= given.length) return parts
  return [...given, ...parts.filter((part) => !isThinking(part))]
}

function isThinking<P extends { readonly type: string }>(
  part: P,
): part is P & (ThinkingPart | RedactedThinkingPart) {
  return part.type === 'thinking' || part.type === 'redacted_thinking'
}

/** Whether this entry's prefix has changed since it was made, as far as the changes show. */
function isBehindRewrite({ id }: Item, context: Context, eventAt: EventAt): boolean {
  const { stack, pops, head } = context
  const made = parseEntryId(findRoot(id, eventAt)).seq
  const since = [stack.at(-1), head.system, head.userSystem]
  return (
    since.some((seq) => seq !== undefined && seq > made) ||
    pops.some(([change, at]) => change < made && made < at)
  )
}

class UserMessage {
  results: MessagePart[] = []
  content: MessagePart[] = []
  readonly reminders: MessagePart[] = []
  checkpoint: MessagePart | undefined
  isUndone = false
  writer: Writer | undefined

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

/** The author of a logged entry, rewritten or not; a compaction's own text has none. */
function buildWriter(id: EntryId, eventAt: EventAt): Writer | undefined {
  const root = parseEntryId(findRoot(id, eventAt))
  const event = root.original ? eventAt(root.seq) : undefined
  const origin = event?.type === 'USER_MESSAGE' ? event.origin : undefined
  return origin === 'client' || origin === 'tool' || origin === 'model' ? origin : undefined
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
  showThinking: boolean,
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
    if (!showThinking && isThinking(part)) return []
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

/** Undefined if no answer in the context names its model. */
export function conversationModel(context: Context, eventAt: EventAt): ModelRef | undefined {
  for (const item of context.items.toArray().toReversed()) {
    if (item.kind !== 'answer') continue
    const content = contentOf(item.id, eventAt)
    if (content?.kind === 'answer' && content.answer.model) return content.answer.model
  }
  return undefined
}
