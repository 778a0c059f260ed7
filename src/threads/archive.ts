// The archive of a thread over its store: what a ref stands for as text, and a search in everything said.
import type { Archive, ArchiveFind, ArchivePage } from '../core/archive.ts'
import { readRow } from '../core/codec.ts'
import type { ToolCall } from '../core/content.ts'
import { isEntryId } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/event.ts'
import type { Store } from '../core/ports.ts'
import { cutHead } from '../core/tokens/cut.ts'
import { queryWords, snippetAround } from './query-words.ts'
import { bodyOf, renderEvent, speakerOf } from './render-event.ts'
import { type MatchingEntry, type SearchLimits, searchThread } from './search-thread.ts'
import type { Threads } from './threads.ts'

export interface ArchivePorts {
  readonly threads: Pick<Threads, 'originals' | 'context'>
  readonly store: Pick<Store, 'read' | 'readMany' | 'info'>
  readonly limits?: Partial<SearchLimits>
}

const LIMITS: SearchLimits = { events: 200_000, chars: 200_000_000 }
const SNIPPET_CHARS = 240
/** How many originals are read first; each further time four times as many. */
const FIRST_ORIGINALS = 64

export function archiveOf(ports: ArchivePorts, threadId: string): Archive {
  const { threads, store } = ports
  return {
    async read(ref, offset, limit) {
      if (!isEntryId(ref)) throw notARef(ref)
      const wanted = offset + limit
      for (let most = FIRST_ORIGINALS; ; most *= 4) {
        const events = await threads.originals(threadId, ref, most)
        const text = await renderUpTo(store, threadId, events, wanted)
        if (text.length > wanted) return pageOf(text, offset, limit)
        if (events.length < most) return pageOf(text, requireOffset(ref, offset, text), limit)
      }
    },
    async search(query, limit) {
      const limits = { ...LIMITS, ...ports.limits }
      const found = await searchThread(store, threadId, queryWords(query), limits)
      const { items } = await threads.context(threadId)
      const visible = new Set([...items].map(({ id }) => id))
      const isVisible = (match: MatchingEntry) => visible.has(match.ref) && !match.isShownInPart
      // What is in view need not be recalled; the question itself is among it.
      const { away = [], inView = [] } = Object.groupBy(found.matches, (match) =>
        isVisible(match) ? 'inView' : 'away',
      )
      const best = [...away, ...inView].slice(0, limit)
      const events = await eventsAt(store, threadId, best)
      const finds = events.map(({ event, calls }, index): ArchiveFind => {
        const { ref, tool, ...match } = best[index] as MatchingEntry
        return {
          ref,
          speaker: speakerOf(event, tool),
          timestamp: event.timestamp,
          snippet: snippetAround(bodyOf(event, calls), found.words, SNIPPET_CHARS),
          isVisible: isVisible({ ref, ...match }),
        }
      })
      return { finds, matching: found.matches.length, searchedFrom: found.searchedFrom }
    },
  }
}

/** The events as text, one after the other, until there is more than `wanted`. */
async function renderUpTo(
  store: ArchivePorts['store'],
  threadId: string,
  events: readonly ThreadEvent[],
  wanted: number,
): Promise<string> {
  const calls = await callsOf(store, threadId, events)
  let text = ''
  for (const event of events) {
    if (text.length > wanted) break
    const piece = renderEvent(event, calls.get(event.seq) ?? [])
    text += text === '' ? piece : SEPARATOR + piece
  }
  return text
}

const SEPARATOR = '\n\n'

/** An answer's calls stand right behind it: they were appended with it. */
async function callsOf(
  store: ArchivePorts['store'],
  threadId: string,
  events: readonly ThreadEvent[],
): Promise<Map<number, ToolCall[]>> {
  const ranges = events.flatMap((event): [number, number][] =>
    event.type === 'AGENT_MESSAGE' && event.data.calls.length > 0
      ? [[event.seq + 1, event.seq + event.data.calls.length]]
      : [],
  )
  const calls = new Map<number, ToolCall[]>()
  if (ranges.length === 0) return calls
  for (const row of await store.readMany(threadId, ranges)) {
    const event = readRow(row)
    if (event.type !== 'TOOL_CALL') continue
    const { answer } = event.data
    calls.set(answer, [...(calls.get(answer) ?? []), event.data])
  }
  return calls
}

/** In the order asked for. */
async function eventsAt(
  store: ArchivePorts['store'],
  threadId: string,
  entries: readonly { readonly seq: number }[],
): Promise<{ readonly event: ThreadEvent; readonly calls: readonly ToolCall[] }[]> {
  if (entries.length === 0) return []
  const rows = await store.readMany(
    threadId,
    entries.map(({ seq }) => [seq, seq] as const),
  )
  const events = rows.map(readRow)
  const calls = await callsOf(store, threadId, events)
  return events.map((event) => ({ event, calls: calls.get(event.seq) ?? [] }))
}

function pageOf(text: string, offset: number, limit: number): ArchivePage {
  const start = isLowSurrogate(text, offset) ? offset - 1 : offset
  const rest = text.slice(start)
  // A page goes on by at least one character, or reading would never end.
  const piece = cutHead(rest, limit) || String.fromCodePoint(rest.codePointAt(0) ?? 0)
  const next = start + piece.length
  return next < text.length ? { text: piece, next } : { text: piece }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}

function requireOffset(ref: string, offset: number, { length }: string): number {
  if (offset < length) return offset
  throw new PrecisError('invalid-input', `${ref} has ${length} characters.`, {
    where: 'offset',
    hint: `Give an offset below ${length}.`,
  })
}

function notARef(ref: string): PrecisError {
  return new PrecisError('unknown-entry', `${ref} is no ref.`, {
    where: ref,
    hint: 'A ref looks like e12 or c40.0; search for words where there is none.',
  })
}
