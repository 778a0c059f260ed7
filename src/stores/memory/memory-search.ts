// Searching the store in memory: scans all rows and ranks them by BM25.
import type { NewEvent } from '../../core/log/event.ts'
import type { Snapshot } from '../../core/ports.ts'
import type { AwaitedCall } from '../../core/search/documents.ts'
import { isAsked, type QueryWord } from '../../core/search/words.ts'
import {
  checkEvents,
  checkNumber,
  decodeSnapshot,
  encodeEvents,
  encodeSnapshot,
  type StoredEvent,
} from '../rows/stored-event.ts'
import {
  type IndexedPart,
  type IndexSource,
  indexRows,
  ownerIn,
  type SearchHit,
  type SearchRequest,
} from '../search/search-index.ts'
import {
  type HeldSnapshot,
  type MemoryRow,
  type MemoryThread,
  TextRow,
  ValueRow,
} from './memory-thread.ts'

interface ReadThread {
  readonly parts: { readonly part: IndexedPart; readonly row: StoredEvent }[]
  awaited: readonly AwaitedCall[]
  read: number // rows
}

interface Candidate {
  readonly hit: SearchHit
  readonly timeMs: number
  readonly counts: readonly number[] // of each query word
  readonly length: number // words
}

/** BM25: how fast repeated words stop counting, and how much the length of a part matters. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

export function memoryIndex(
  threads: ReadonlyMap<string, MemoryThread>,
  check: () => void,
): IndexSource {
  let known = new WeakMap<MemoryThread, ReadThread>()
  const partsOf = (threadId: string, thread: MemoryThread): ReadThread['parts'] => {
    const read = known.get(thread) ?? { parts: [], awaited: [], read: 0 }
    const rows = thread.rows.slice(read.read).map(({ cells }) => cells)
    const { parts, awaited } = indexRows(threadId, rows, read.awaited)
    const first = read.read + 1
    for (const part of parts) read.parts.push({ part, row: rows[part.seq - first] as StoredEvent })
    read.awaited = awaited
    read.read = thread.rows.length
    known.set(thread, read)
    return read.parts
  }
  return {
    isBehind: async () => {
      check()
      return false // a search scans everything anyway
    },
    indexMore: async () => false,
    clearIndex: async () => {
      check()
      known = new WeakMap()
    },
    find: async (request, count, hasAllWords) => {
      const seen = new Set<StoredEvent>() // forks hold the rows they share
      const candidates: Candidate[] = []
      for (const [threadId, thread] of threads) {
        if (request.threadId !== null && request.threadId !== threadId) continue
        if (request.owners?.includes(ownerIn(threadId, thread.rows[0]?.cells)) === false) continue
        const parts = partsOf(threadId, thread).filter(({ row }) => !seen.has(row))
        for (const { part, row } of parts)
          if (fits(part, request))
            candidates.push(findCandidate(threadId, part, row, request.words))
        for (const { row } of parts) seen.add(row)
      }
      const best = ranked(candidates, request.words, hasAllWords)
      return (request.isThreadOnce ? onceEach(best) : best).slice(0, count)
    },
  }
}

/** The best find of each thread. */
function onceEach(hits: readonly SearchHit[]): readonly SearchHit[] {
  const first = new Map<string, SearchHit>()
  for (const hit of hits) if (!first.has(hit.threadId)) first.set(hit.threadId, hit)
  return [...first.values()]
}

function findCandidate(
  threadId: string,
  { words, part, kind, tool, file, timeMs }: IndexedPart,
  row: StoredEvent,
  asked: readonly QueryWord[],
): Candidate {
  const counts = asked.map((each) => words.filter((word) => isAsked(word, [each])).length)
  return { hit: { threadId, part, kind, tool, file, row }, timeMs, counts, length: words.length }
}

function fits(part: IndexedPart, request: SearchRequest): boolean {
  const { kinds, sinceMs, untilMs, tool, fileEnd } = request
  return (
    (kinds === null || kinds.includes(part.kind)) &&
    (sinceMs === null || part.timeMs >= sinceMs) &&
    (untilMs === null || part.timeMs <= untilMs) &&
    (tool === null || part.tool === tool) &&
    (fileEnd === null || (part.file !== null && `/${part.file}`.endsWith(fileEnd)))
  )
}

function ranked(
  candidates: readonly Candidate[],
  asked: readonly QueryWord[],
  hasAllWords: boolean,
): SearchHit[] {
  const mean = candidates.reduce((sum, { length }) => sum + length, 0) / candidates.length
  const rarity = asked.map((_, word) => {
    const holders = candidates.filter(({ counts }) => (counts[word] ?? 0) > 0).length
    return Math.log(1 + (candidates.length - holders + 0.5) / (holders + 0.5))
  })
  const scoreOf = ({ counts, length }: Candidate): number => {
    const damping = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, mean))
    return counts.reduce(
      (sum, count, word) =>
        sum + ((rarity[word] ?? 0) * count * (SATURATION + 1)) / (count + damping),
      0,
    )
  }
  return candidates
    .filter(({ counts }) =>
      hasAllWords ? counts.every((count) => count > 0) : counts.some((count) => count > 0),
    )
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate) }))
    .sort((one, other) => other.score - one.score || other.timeMs - one.timeMs)
    .map(({ hit }) => hit)
}

/** What an append adds to the store in memory: JSON text, like a database, or the values themselves. */
interface HeldThread {
  readonly rows: readonly MemoryRow[]
  readonly snapshot?: HeldSnapshot
}

/** Validates everything before it stores anything. */
export type Hold = (
  threadId: string,
  events: readonly NewEvent[],
  before: number,
  snapshot?: Snapshot,
) => HeldThread

export const holdText: Hold = (threadId, events, before, snapshot) => {
  const rows = encodeEvents(threadId, events, before + 1).rows.map((cells) => new TextRow(cells))
  if (!snapshot) return { rows }
  const cells = encodeSnapshot(threadId, snapshot, before + rows.length)
  return { rows, snapshot: { ...cells, read: () => decodeSnapshot(cells) } }
}

export const holdValues: Hold = (threadId, events, before, snapshot) => {
  checkEvents(threadId, events)
  const rows = events.map((event, index) => new ValueRow(before + 1 + index, event))
  if (!snapshot) return { rows }
  const { seq, foldVersion } = snapshot
  checkNumber('the sequence number of a snapshot', seq, 1, before + rows.length)
  checkNumber('a fold version', foldVersion, 0)
  return { rows, snapshot: { seq, foldVersion, read: () => snapshot } }
}
