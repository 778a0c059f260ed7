// The archive of a thread: the text of a ref, and a search in the whole log
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import {
  type Archive,
  type ArchiveFind,
  type ArchivePage,
  type ParsedRef,
  parseRef,
  refInThread,
} from '../core/search/archive.ts'
import type { ToolCall } from '../core/view/content.ts'
import { parseEntryId } from '../core/view/entry.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import { pastThreadsOf } from './open-threads.ts'
import { findSpeaker, readBody, renderEvent } from './render-event.ts'
import {
  type MatchingEntry,
  queryWords,
  type ScannedThread,
  type SearchLimits,
  searchThread,
  snippetAround,
} from './search-thread.ts'
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
      const { id, threadId: owner } = await findOwner(store, threadId, ref)
      const wanted = offset + limit
      for (let most = FIRST_ORIGINALS; ; most *= 4) {
        const events = await threads.originals(owner, id, most)
        const text = await renderUpTo(store, owner, events, wanted)
        if (text.length > wanted) return buildPage(text, offset, limit)
        if (events.length < most) return buildPage(text, requireOffset(ref, offset, text), limit)
      }
    },
    async search(query, limit) {
      const words = queryWords(query)
      const limits = { ...LIMITS, ...ports.limits }
      const own = await searchThread(store, threadId, words, limits)
      const { items } = await threads.context(threadId)
      const visible = new Set([...items].map(({ id }) => id))
      // What is in view need not be recalled; the question itself is among it.
      const { away = [], inView = [] } = Object.groupBy(own.matches, (match) =>
        visible.has(match.ref) && !match.isShownInPart ? 'inView' : 'away',
      )
      const past = await searchPast(store, threadId, words, own)
      const finds: ArchiveFind[] = []
      const hidden = [
        { scanned: own, matches: away, threadId },
        ...past.map((each) => ({ ...each, matches: each.scanned.matches, isPast: true })),
      ]
      for (const { scanned, matches, ...place } of [
        ...hidden.map((each) => ({ ...each, matches: each.matches.filter((one) => !one.isCopy) })),
        ...hidden.map((each) => ({ ...each, matches: each.matches.filter((one) => one.isCopy) })),
        { scanned: own, matches: inView, threadId, isVisible: true },
      ]) {
        const best = matches.slice(0, limit - finds.length)
        finds.push(...(await findsOf(store, place, best, scanned.words)))
      }
      const all = [own, ...past.map(({ scanned }) => scanned)]
      const last = past.at(-1)
      return {
        finds,
        matching: all.reduce((sum, { matches }) => sum + matches.length, 0),
        searchedFrom: (last?.scanned ?? own).searchedFrom,
        ...(last && { searchedThread: last.threadId }),
      }
    },
  }
}

/** Only what this thread came from can be read here, and only as far as it came from it. */
async function findOwner(
  store: ArchivePorts['store'],
  threadId: string,
  ref: string,
): Promise<Required<ParsedRef>> {
  const parsed = parseRef(ref)
  if (!parsed) throw notARef(ref)
  const { id, threadId: named = threadId } = parsed
  if (named === threadId) return { id, threadId }
  for await (const past of pastThreadsOf(store, threadId))
    if (past.threadId === named && parseEntryId(id).seq <= past.upTo) return { id, threadId: named }
  throw new PrecisError(
    'unknown-entry',
    `There is no ${ref} in the threads that this thread came from.`,
    {
      where: ref,
      hint: 'Search for words, and take the ref of a find as it is.',
    },
  )
}

interface ScannedPast {
  readonly threadId: string
  readonly scanned: ScannedThread
}

/** The threads that this one came from, the latest first, as far as the limits go. */
async function searchPast(
  store: ArchivePorts['store'],
  threadId: string,
  words: readonly string[],
  own: ScannedThread,
): Promise<ScannedPast[]> {
  const found: ScannedPast[] = []
  // A thread that could not be searched to its beginning is the last.
  if (own.searchedFrom > 1) return found
  let { left } = own
  for await (const past of pastThreadsOf(store, threadId)) {
    const scanned = await searchThread(store, past.threadId, words, left, past.upTo)
    found.push({ threadId: past.threadId, scanned })
    if (scanned.searchedFrom > 1) break
    left = scanned.left
  }
  return found
}

interface FindPlace {
  readonly threadId: string
  readonly isPast?: boolean
  readonly isVisible?: boolean
}

async function findsOf(
  store: ArchivePorts['store'],
  { threadId, isPast = false, isVisible = false }: FindPlace,
  matches: readonly MatchingEntry[],
  words: readonly string[],
): Promise<ArchiveFind[]> {
  const events = await eventsAt(store, threadId, matches)
  return events.map(({ event, calls }, index) => {
    const { ref, tool } = matches[index] as MatchingEntry
    return {
      ref: isPast ? refInThread(threadId, ref) : ref,
      speaker: findSpeaker(event, tool),
      timestamp: event.timestamp,
      snippet: snippetAround(readBody(event, calls), words, SNIPPET_CHARS),
      isVisible,
    }
  })
}

/** The events as text, one after the other, until there is more than `wanted`. */
async function renderUpTo(
  store: ArchivePorts['store'],
  threadId: string,
  events: readonly ThreadEvent[],
  wanted: number,
): Promise<string> {
  const calls = await findCalls(store, threadId, events)
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
async function findCalls(
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
  const calls = await findCalls(store, threadId, events)
  return events.map((event) => ({ event, calls: calls.get(event.seq) ?? [] }))
}

function buildPage(text: string, offset: number, limit: number): ArchivePage {
  const start = isLowSurrogate(text, offset) ? offset - 1 : offset
  const rest = text.slice(start)
  // A page continues by at least one character, or reading would never end.
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
  return new PrecisError('unknown-entry', `${ref} is not a ref.`, {
    where: ref,
    hint: 'A ref looks like e12 or c40.0, or thr_7:e12 in an earlier thread. Without a ref, search for words.',
  })
}
