// Indexing a bounded stretch of the log, and looking words up.
import type { AwaitedCall, SearchKind } from '../../core/search-documents.ts'
import type { QueryWord } from '../../core/search-tokens.ts'
import type { Cells } from '../cells.ts'
import { LIMITS } from '../limits.ts'
import { type IndexedPart, indexRows, type SearchHit } from '../search-index.ts'
import type { SearchRequest } from '../search-request.ts'
import type { Session } from './database.ts'
import {
  ADD_PARTS,
  ADVANCE,
  CLEAR_PARTS,
  FIND,
  GONE,
  LAGGING,
  LOCK_INDEX,
  REMOVE_PARTS,
  ROWS_TO_INDEX,
} from './search-statements.ts'

/** `fromSeq` and what follows are null where nothing of the thread is indexed. */
interface LaggingThread {
  readonly key: number
  readonly threadId: string
  readonly version: number
  readonly baseSeq: number
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly awaited: string | null // JSON
}

type FoundPart = readonly [
  key: number,
  threadId: string,
  seq: number,
  part: number,
  kind: SearchKind,
  tool: string | null,
  file: string | null,
  rank: number,
  timeMs: number,
  ...row: Cells,
]

/** In a transaction. True where it did something: there may be more. */
export async function indexMore(session: Session): Promise<boolean> {
  await session.rows(LOCK_INDEX, [])
  const gone = await session.rows<{ key: number }>(GONE, [])
  if (gone.length > 0) await session.rows(REMOVE_PARTS, [gone.map(({ key }) => key)])
  const lagging = await session.rows<LaggingThread>(LAGGING, [])
  let length = 0
  for (const thread of lagging) {
    if (length > LIMITS.indexLength) break
    length += await indexThread(session, thread)
  }
  return gone.length + lagging.length > 0
}

export async function clearIndex(session: Session): Promise<void> {
  await session.rows(LOCK_INDEX, [])
  await session.rows(CLEAR_PARTS, [])
}

export async function find(
  session: Session,
  request: SearchRequest,
  count: number,
  hasAllWords: boolean,
): Promise<readonly SearchHit[]> {
  const { words, threadId, kinds, sinceMs, untilMs, tool, fileEnd } = request
  const query = words.map(queryOf).join(hasAllWords ? ' & ' : ' | ')
  const values = [query, threadId, kinds, sinceMs, untilMs, tool, fileEnd, count]
  const found = await session.tuples<FoundPart>(FIND, values)
  return found.map(([, owner, , part, kind, withTool, file, , , ...row]) => ({
    ...{ threadId: owner, part, kind, tool: withTool, file, row },
  }))
}

/** Characters that were indexed. */
async function indexThread(session: Session, thread: LaggingThread): Promise<number> {
  const { key, threadId, version, baseSeq } = thread
  // Rows that came from a thread that is gone stand before what is indexed: then all once more.
  const isMoved = thread.fromSeq !== null && baseSeq < thread.fromSeq
  if (isMoved) await session.rows(REMOVE_PARTS, [[key]])
  const isNew = thread.fromSeq === null || isMoved
  const before = isNew ? baseSeq : (thread.toSeq ?? baseSeq)
  const limits = [LIMITS.indexRows, LIMITS.indexLength]
  const rows = await session.tuples<Cells>(ROWS_TO_INDEX, [key, before, ...limits])
  const awaited: readonly AwaitedCall[] = isNew ? [] : JSON.parse(thread.awaited ?? '[]')
  const indexed = indexRows(threadId, rows, awaited)
  if (indexed.parts.length > 0) await session.rows(ADD_PARTS, [key, ...columnsOf(indexed.parts)])
  const from = isNew ? baseSeq : (thread.fromSeq ?? baseSeq)
  const last = rows.at(-1)?.[0] ?? version
  await session.rows(ADVANCE, [key, from, last, JSON.stringify(indexed.awaited)])
  return rows.reduce((sum, row) => sum + row[5].length, 0)
}

function columnsOf(parts: readonly IndexedPart[]): unknown[] {
  return [
    parts.map(({ seq }) => seq),
    parts.map(({ part }) => part),
    parts.map(({ kind }) => kind),
    parts.map(({ timeMs }) => timeMs),
    parts.map(({ tool }) => tool),
    parts.map(({ file }) => file),
    parts.map(({ words }) => vectorOf(words)),
  ]
}

/** The server takes no place beyond this; words that stand further on are found all the same. */
const LAST_PLACE = 16_383
/** And no more places of one word. */
const MOST_PLACES = 255

/** `'word':1,7 'other':2`: words with their places, which make the rank. */
function vectorOf(words: readonly string[]): string {
  const places = new Map<string, number[]>()
  for (const [index, word] of words.entries()) {
    const known = places.get(word)
    if (!known) places.set(word, [Math.min(index + 1, LAST_PLACE)])
    else if (known.length < MOST_PLACES) known.push(Math.min(index + 1, LAST_PLACE))
  }
  return [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`).join(' ')
}

function queryOf({ word, isPrefix }: QueryWord): string {
  return `${quoted(word)}${isPrefix ? ':*' : ''}`
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
