// The searchable parts of an event: text, author, tool and file.

import type { Put } from '../edit/change.ts'
import { pathIn, readFields } from '../ledger/call-fields.ts'
import type { ThreadEvent } from '../log/event.ts'
import type { Json } from '../text/json.ts'
import { type ToolCall, textOfUserContent } from '../view/content.ts'
import { blockCaption } from '../view/image-caption.ts'
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { findWords, isAsked, type QueryWord } from './words.ts'

export const SEARCH_KINDS = ['user', 'agent', 'call', 'result', 'summary', 'reminder'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

interface SearchDocument {
  readonly kind: SearchKind
  readonly text: string
  readonly tool?: string
  readonly file?: string
}

/** A call without a result yet: the result is found under the same tool and file. */
export interface AwaitedCall {
  readonly id: string
  readonly tool: string
  readonly file?: string
}

/** Older ones never got a result. */
const MOST_AWAITED = 64
/** Length of the parts that are indexed, ranked and shown. */
const PART_CHARS = 16_000

/** The text of an event, and the calls still waiting after it. */
export function buildDocument(
  event: ThreadEvent,
  awaited: readonly AwaitedCall[],
): { readonly document?: SearchDocument; readonly awaited: readonly AwaitedCall[] } {
  if (event.type === 'TOOL_CALL') {
    const { id, name, arguments: input } = event.data
    const file = pathIn(readFields(input))
    const call = { id, tool: name, ...(file !== undefined && { file }) }
    const text = textOfCall(event.data)
    return {
      document: { kind: 'call', text, tool: name, ...(file !== undefined && { file }) },
      awaited: [...awaited, call].slice(-MOST_AWAITED),
    }
  }
  if (event.type === 'TOOL_RESULT') {
    const call = awaited.findLast(({ id }) => id === event.data.id)
    const text = event.data.content.map((block) => block.text ?? blockCaption(block)).join('\n')
    const about = call && { tool: call.tool, ...(call.file !== undefined && { file: call.file }) }
    return {
      ...said('result', text, about),
      awaited: call ? awaited.filter((each) => each !== call) : awaited,
    }
  }
  return { ...documentOfTalk(event), awaited }
}

/** Splits a long text without breaking characters. */
export function readParts(text: string): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const part = cutHead(text.slice(at, at + PART_CHARS + 2), PART_CHARS)
    parts.push(part)
    at += part.length
  }
  return parts
}

function documentOfTalk(event: ThreadEvent): { readonly document?: SearchDocument } {
  switch (event.type) {
    case 'USER_MESSAGE':
      return said('user', textOfUserContent(event.data))
    case 'AGENT_MESSAGE':
      return said('agent', event.data.content)
    case 'SYSTEM_REMINDER':
      return said('reminder', event.data)
    case 'COMPACTION': {
      const put = event.data.edits.flatMap((edit) => edit.put)
      return said('summary', put.map(textWrittenAnew).join('\n'))
    }
    default:
      return {}
  }
}

/** Summaries; other content of a compaction is in the log already. */
function textWrittenAnew(put: Put): string {
  if (!('label' in put) || (put.label !== 'summary' && put.label !== 'brief')) return ''
  if (put.type === 'USER_MESSAGE') return textOfUserContent(put.data)
  return put.type === 'AGENT_MESSAGE' ? put.data.content : ''
}

function said(
  kind: SearchKind,
  text: string,
  about: Pick<SearchDocument, 'tool' | 'file'> = {},
): { readonly document?: SearchDocument } {
  return text.trim() === '' ? {} : { document: { kind, text, ...about } }
}

/** The text of a call: the tool and its arguments. */
export function textOfCall({
  name,
  arguments: given,
}: Pick<ToolCall, 'name' | 'arguments'>): string {
  return [name, ...textsIn(given)].join('\n')
}

/** All strings in a value, in order, without field names. */
export function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** One line of a text around the search words, with their positions. */
export interface Snippet {
  readonly text: string
  /** The range of each search word, end exclusive. */
  readonly marks: readonly (readonly [start: number, end: number])[]
}

/** The part with most different words; the first of equals. */
export function buildSnippet(text: string, asked: readonly QueryWord[], maxChars: number): Snippet {
  const places = [...findWords(text)].filter(({ word }) => isAsked(word, asked))
  let best = { start: places[0]?.start ?? 0, words: 0 }
  for (const [index, { start }] of places.entries()) {
    const words = new Set<string>()
    for (let next = index; next < places.length; next += 1) {
      const place = places[next]
      if (!place || place.end > start + maxChars / 2) break
      words.add(place.word)
    }
    if (words.size > best.words) best = { start, words: words.size }
  }
  return marked(lineAt(text, best.start, maxChars), asked)
}

function lineAt(text: string, at: number, maxChars: number): string {
  const before = cutTail(text.slice(Math.max(0, at - maxChars), at), maxChars / 3)
  const after = cutHead(text.slice(at, at + maxChars), maxChars - before.length)
  const start = before.length < at ? '…' : ''
  const end = at + after.length < text.length ? '…' : ''
  return `${start}${`${before}${after}`.replace(/\s+/g, ' ').trim()}${end}`
}

/** Overlapping words (`config` in `parseConfig`) give one mark, the longest. */
function marked(text: string, asked: readonly QueryWord[]): Snippet {
  const marks: [number, number][] = []
  for (const { word, start, end } of findWords(text)) {
    if (!isAsked(word, asked)) continue
    const last = marks.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else marks.push([start, end])
  }
  return { text, marks }
}
