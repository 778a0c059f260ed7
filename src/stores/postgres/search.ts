// Indexes bounded parts of the log and looks words up.
import type { AwaitedCall, SearchKind } from '../../core/search/documents.ts'
import type { QueryWord } from '../../core/search/words.ts'
import { LIMITS } from '../rows/limits.ts'
import type { StoredEvent } from '../rows/stored-event.ts'
import {
  INDEX_VERSION,
  type IndexedPart,
  indexRows,
  type LaggingThread,
  lastSeq,
  ownerIn,
  type SearchHit,
  type SearchRequest,
} from '../search/search-index.ts'
import type { Session } from './database.ts'
import { read } from './read.ts'
import {
  ADD_PARTS,
  ADVANCE,
  CLEAR_PARTS,
  FIND,
  FIND_THREADS,
  GONE,
  IS_BEHIND,
  LAGGING,
  LAGGING_THREADS,
  LOCK_INDEX,
  REMOVE_PARTS,
  ROWS_TO_INDEX,
} from './search-statements.ts'

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
  ...row: StoredEvent,
]

export async function isBehind(session: Session): Promise<boolean> {
  const [answer] = await session.rows<{ isBehind: boolean }>(IS_BEHIND, [])
  return answer?.isBehind === true
}

/** Runs in a transaction. True if some of what existed at its start is left. */
export async function indexMore(session: Session): Promise<boolean> {
  await session.rows(LOCK_INDEX, [])
  const gone = await session.rows<{ key: number }>(GONE, [])
  if (gone.length > 0) await session.rows(REMOVE_PARTS, [gone.map(({ key }) => key)])
  const lagging = await session.rows<LaggingThread>(LAGGING, [])
  let length = 0
  let isAll = gone.length < LAGGING_THREADS && lagging.length < LAGGING_THREADS
  for (const thread of lagging) {
    if (length > LIMITS.indexLength) return true
    const indexed = await indexThread(session, thread)
    length += indexed.length
    isAll &&= indexed.isAll
  }
  return !isAll
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
  const { words, threadId, kinds, sinceMs, untilMs, tool, fileEnd, owners } = request
  const query = words.map(readQuery).join(hasAllWords ? ' & ' : ' | ')
  const values = [query, threadId, kinds, sinceMs, untilMs, tool, fileEnd, count, owners]
  const statement = request.isThreadOnce ? FIND_THREADS : FIND
  const found = await session.tuples<FoundPart>(statement, values)
  return found.map(([, owner, , part, kind, withTool, file, , , ...row]) => ({
    ...{ threadId: owner, part, kind, tool: withTool, file, row },
  }))
}

/** Indexed characters, and whether that was everything. */
async function indexThread(session: Session, thread: LaggingThread) {
  const { key, threadId, version, baseSeq, fromSeq, toSeq, indexVersion } = thread
  // Rows moved here from a deleted thread precede the indexed ones: index everything again.
  const isStale = fromSeq !== null && (baseSeq < fromSeq || (indexVersion ?? 0) < INDEX_VERSION)
  if (isStale) await session.rows(REMOVE_PARTS, [[key]])
  const isNew = fromSeq === null || isStale
  const before = isNew ? baseSeq : (toSeq ?? baseSeq)
  const limits = [LIMITS.indexRows, LIMITS.indexLength]
  const rows = await session.tuples<StoredEvent>(ROWS_TO_INDEX, [key, before, ...limits])
  const awaited: readonly AwaitedCall[] = isNew ? [] : JSON.parse(thread.awaited ?? '[]')
  const done = isNew ? 0 : thread.partsDone
  const indexed = indexRows(threadId, rows, awaited, { most: LIMITS.indexParts, done })
  if (indexed.parts.length > 0)
    await session.rows(ADD_PARTS, [key, ...measureColumns(indexed.parts)])
  // A fork shares its first row.
  const first = isNew ? (await read(session, threadId, [[1, 1]], 1)).rows[0] : undefined
  const owner = ownerIn(threadId, first)
  const from = isNew ? baseSeq : fromSeq
  const last = lastSeq(rows, indexed) ?? version
  await session.rows(ADVANCE, [key, owner, from, last, JSON.stringify(indexed.awaited)])
  return {
    length: rows.reduce((sum, row) => sum + (row[5]?.length ?? 0), 0),
    isAll: last >= version,
  }
}

function measureColumns(parts: readonly IndexedPart[]): unknown[] {
  return [
    parts.map(({ seq }) => seq),
    parts.map(({ part }) => part),
    parts.map(({ kind }) => kind),
    parts.map(({ timeMs }) => timeMs),
    parts.map(({ tool }) => tool),
    parts.map(({ file }) => file),
    parts.map(({ words }) => computeVector(words)),
  ]
}

/** The largest position the server stores; words beyond it are still found. */
const LAST_PLACE = 16_383
/** The most positions per word. */
const MOST_PLACES = 255

/** `'word':1,7 'other':2`: words with their positions, which determine the rank. */
function computeVector(words: readonly string[]): string {
  const places = new Map<string, number[]>()
  for (const [index, word] of words.entries()) {
    const known = places.get(word)
    if (!known) places.set(word, [Math.min(index + 1, LAST_PLACE)])
    else if (known.length < MOST_PLACES) known.push(Math.min(index + 1, LAST_PLACE))
  }
  return [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`).join(' ')
}

function readQuery({ word, isPrefix }: QueryWord): string {
  return `${quoted(word)}${isPrefix ? ':*' : ''}`
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
