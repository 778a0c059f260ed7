// What a context is made of, and what a compaction took out of it, in estimated tokens.

import type { Edit, EntryId } from '../core/change.ts'
import { type Context, weightOf } from '../core/context.ts'
import { type Item, newEntriesOf, newId, rootOf } from '../core/entry.ts'
import { contentOf } from '../core/entry-content.ts'
import type { EventAt, EventOf } from '../core/event.ts'
import { itemsOfRun } from '../core/run.ts'
import { weighCall } from '../core/tokens/weigh.ts'

export const CATEGORIES = [
  'system',
  'user',
  'answers',
  'thinking',
  'tool calls',
  'tool results',
] as const
export type Category = (typeof CATEGORIES)[number]

export interface Measure {
  readonly tokens: number
  readonly categories: Readonly<Record<Category, number>>
}

/** Something that became smaller. */
export interface Drop {
  readonly entries: readonly EntryId[]
  readonly what: string
  readonly before: number
  readonly after: number
}

export function measure(context: Context, eventAt: EventAt): Measure {
  const { systemTokens, userSystemTokens } = context.head
  const categories: Record<Category, number> = {
    system: systemTokens + userSystemTokens,
    user: 0,
    answers: 0,
    thinking: 0,
    'tool calls': 0,
    'tool results': 0,
  }
  for (const item of context.items.toArray()) {
    if (item.kind === 'result') categories['tool results'] += item.tokens
    else if (item.kind !== 'answer') categories.user += item.tokens
    else {
      const { calls, thinking } = insideAnswer(item, eventAt)
      categories['tool calls'] += calls
      categories.thinking += thinking
      categories.answers += item.tokens - calls - thinking
    }
  }
  return { tokens: weightOf(context), categories }
}

function insideAnswer(item: Item, eventAt: EventAt): { calls: number; thinking: number } {
  const content = contentOf(item.id, eventAt)
  const calls = content?.kind === 'answer' ? content.calls : []
  return {
    calls: calls.reduce((sum, call) => sum + weighCall(call), 0),
    thinking: item.hide?.includes('thinking') ? 0 : (item.thinkingTokens ?? 0),
  }
}

/** The heaviest entries of a context, heaviest first. */
export function biggest(context: Context, eventAt: EventAt, count: number): Drop[] {
  return context.items
    .toArray()
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, count)
    .map(({ id, tokens }) => ({
      entries: [id],
      what: describe(id, eventAt),
      before: tokens,
      after: tokens,
    }))
}

/** What each edit of a compaction took out, largest first. */
export function dropsOf(event: EventOf<'COMPACTION'>, after: Context, eventAt: EventAt): Drop[] {
  const weights = new Map(after.items.toArray().map((item) => [item.id, item.tokens]))
  const numbers = newEntryNumbers(event.data.edits)
  return event.data.edits
    .map((edit, index): Drop => {
      const covered = edit.covers.flatMap((run) => itemsOfRun(run, eventAt) ?? [])
      const kept = edit.put.flatMap((put) =>
        'keep' in put ? (itemsOfRun(put.keep, eventAt) ?? []) : [],
      )
      const made = (numbers[index] ?? []).map((number) => newId(event.seq, number))
      const left = [...kept.map(({ id }) => id), ...made]
      const [first] = covered
      return {
        entries: covered.map(({ id }) => id),
        what:
          covered.length === 1 && first !== undefined
            ? describe(first.id, eventAt)
            : `${covered.length} entries`,
        before: covered.reduce((sum, { tokens }) => sum + tokens, 0),
        after: left.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0),
      }
    })
    .toSorted((one, other) => other.before - other.after - (one.before - one.after))
}

/** New entries are numbered over all edits in stored order; an edit that puts nothing leaves a gap. */
function newEntryNumbers(edits: readonly Edit[]): number[][] {
  let next = 0
  return edits.map((edit) => newEntriesOf([edit]).map(() => next++))
}

/** A name for an entry that a person recognises: who said it and how it starts, or which call it answers. */
function describe(id: EntryId, eventAt: EventAt): string {
  const content = contentOf(id, eventAt)
  switch (content?.kind) {
    case 'user':
      return `user: ${typeof content.content === 'string' ? content.content : textIn(content.content)}`
    case 'answer':
      return `answer: ${content.answer.content || content.calls.map(({ name }) => name).join(', ')}`
    case 'result':
      return describeResult(id, content.result.id, eventAt)
    case 'reminder':
      return `reminder: ${content.text}`
    default:
      return id
  }
}

function describeResult(id: EntryId, callId: string | undefined, eventAt: EventAt): string {
  const seq = Number(/^e(\d+)$/.exec(rootOf(id, eventAt))?.[1])
  for (let at = seq - 1; at > 0; at -= 1) {
    const event = eventAt(at)
    if (event === undefined || event.type === 'AGENT_MESSAGE') break // the round began there
    if (event.type !== 'TOOL_CALL' || event.data.id !== callId) continue
    const values = Object.values(event.data.arguments ?? {})
    const first = values.find((value) => typeof value === 'string') ?? ''
    return `${event.data.name} ${String(first)}`.trim()
  }
  return `result of ${callId ?? 'no call'}`
}

function textIn(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => part.text ?? `[${part.type}]`).join(' ')
}
