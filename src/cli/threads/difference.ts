// Compares two contexts: the entries only one of them has, in order.
import { nameOfEntry } from '../../core/edit/report-name.ts'
import type { EventAt, ThreadEvent } from '../../core/log/event.ts'
import { type Context, emptyContext, foldEvent, weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import { contentOf, type EntryContent } from '../../core/view/entry-content.ts'

interface Entry {
  readonly ref: string
  readonly kind: EntryKind
  readonly what: string
  readonly tokens: number
  readonly text: string
}

export interface Side {
  readonly name: string
  readonly tokens: number
  readonly entries: readonly Entry[]
}

export type Line = { readonly sign: ' ' | '-' | '+' } & Entry

export interface Difference {
  readonly from: string
  readonly to: string
  readonly before: number // tokens
  readonly after: number
  readonly same: number // entries
  readonly lines: readonly Line[]
}

/** The last one in effect; otherwise the last undone one. */
export function lastCompaction(
  events: readonly ThreadEvent[],
): { readonly seq: number; readonly isInForce: boolean } | undefined {
  const { active } = contextAt(events, events.length)
  const seq = active.at(-1) ?? events.findLast(({ type }) => type === 'COMPACTION')?.seq
  return seq === undefined ? undefined : { seq, isInForce: active.length > 0 }
}

/** The context after this event. */
export function sideAt(events: readonly ThreadEvent[], seq: number, name: string): Side {
  const eventAt: EventAt = (at) => events[at - 1]
  const context = contextAt(events, seq)
  const entries = context.items
    .toArray()
    .filter(({ kind }) => kind !== 'gap')
    .map(({ id, kind, tokens }) => ({
      ref: id,
      kind,
      what: nameOfEntry(id, eventAt),
      tokens,
      text: readText(contentOf(id, eventAt)),
    }))
  return { name, tokens: weightOf(context), entries }
}

function contextAt(events: readonly ThreadEvent[], seq: number): Context {
  const eventAt: EventAt = (at) => events[at - 1]
  return events
    .slice(0, seq)
    .reduce((context, event) => foldEvent(context, event, eventAt), emptyContext())
}

function readText(content: EntryContent | undefined): string {
  switch (content?.kind) {
    case 'user':
      return typeof content.content === 'string'
        ? content.content
        : content.content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n')
    case 'answer':
      return [
        content.answer.content,
        ...content.calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`),
      ].join('\n')
    case 'result':
      return content.result.content.map((block) => block.text ?? `[${block.type}]`).join('\n')
    case 'reminder':
      return content.text
    default:
      return ''
  }
}

/** Entries are equal if their text is; the order places the others. */
export function compare(from: Side, to: Side): Difference {
  const left = new Map<string, number>()
  for (const { text, what } of to.entries)
    left.set(readKey(what, text), (left.get(readKey(what, text)) ?? 0) + 1)
  const lines: Line[] = []
  const removed = from.entries.map((entry) => {
    const key = readKey(entry.what, entry.text)
    const count = left.get(key) ?? 0
    if (count > 0) left.set(key, count - 1)
    return count === 0
  })
  const staying = new Map<string, number>()
  from.entries.forEach(({ what, text }, at) => {
    if (!removed[at]) staying.set(readKey(what, text), (staying.get(readKey(what, text)) ?? 0) + 1)
  })
  let next = 0
  const flushTo = (key: string | undefined) => {
    for (; next < from.entries.length; next += 1) {
      const entry = from.entries[next] as Entry
      if (removed[next]) lines.push({ sign: '-', ...entry })
      else if (key !== undefined && readKey(entry.what, entry.text) === key) {
        next += 1
        break
      }
    }
  }
  let same = 0
  for (const entry of to.entries) {
    const key = readKey(entry.what, entry.text)
    const count = staying.get(key) ?? 0
    if (count > 0) {
      staying.set(key, count - 1)
      flushTo(key)
      same += 1
      lines.push({ sign: ' ', ...entry })
      continue
    }
    // Removed entries first: this replaced them.
    for (; removed[next]; next += 1) lines.push({ sign: '-', ...(from.entries[next] as Entry) })
    lines.push({ sign: '+', ...entry })
  }
  flushTo(undefined)
  return { from: from.name, to: to.name, before: from.tokens, after: to.tokens, same, lines }
}

function readKey(what: string, text: string): string {
  return `${what}\0${text}`
}
