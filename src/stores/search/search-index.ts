// Searching over any store that can index rows and look words up: validation, order of steps, shown result.
// The version of the rules lives here alone, because database threads load it without the rules.
import { readRow } from '../../core/log/codec.ts'
import type { SearchFind, SearchFinds, SearchIndex, SearchQuery } from '../../core/ports.ts'
import {
  type AwaitedCall,
  buildDocument,
  buildSnippet,
  readParts,
  SEARCH_KINDS,
  type SearchKind,
} from '../../core/search/documents.ts'
import { findWords, type QueryWord, queryWords } from '../../core/search/words.ts'
import { usageError } from '../errors.ts'
import { LIMITS } from '../rows/limits.ts'
import {
  checkList,
  checkName,
  checkNumber,
  checkOwners,
  decodeRow,
  type StoredEvent,
} from '../rows/stored-event.ts'

/** A part of an event's text, as an index keeps it. */
export interface IndexedPart {
  readonly seq: number
  readonly part: number // 0, 1, 2 … within the event
  readonly kind: SearchKind
  readonly timeMs: number
  readonly tool: string | null
  readonly file: string | null
  readonly words: readonly string[]
}

/** A matching part and its event. */
export interface SearchHit {
  readonly threadId: string
  readonly part: number
  readonly kind: SearchKind
  readonly tool: string | null
  readonly file: string | null
  readonly row: StoredEvent
}

/** What a search needs from a store. */
export interface IndexSource {
  /** Whether something is not indexed yet. Asked first: usually nothing is, and writers are not held up. */
  isBehind(): Promise<boolean>
  /**
   * Indexes a bounded part of what is missing. True if some is left. What others append meanwhile does not
   * count; otherwise a search might never end.
   */
  indexMore(): Promise<boolean>
  clearIndex(): Promise<void>
  /** At most `count` parts, best first, that contain all of the words or any of them. */
  find(request: SearchRequest, count: number, hasAllWords: boolean): Promise<readonly SearchHit[]>
}

const SNIPPET_CHARS = 240
/** Several parts of one event may match; it is shown once. */
const PARTS_PER_FIND = 3
/** If others append faster than this can index, the search continues with what it has. */
const MOST_STEPS = 100_000
/** If others create threads all the time, some owners are always unknown. */
const MOST_LISTS = 3

export function searchIndex(source: IndexSource): SearchIndex {
  const catchUp = async (): Promise<void> => {
    if (!(await source.isBehind())) return
    for (let steps = 0; steps < MOST_STEPS; steps += 1) if (!(await source.indexMore())) return
  }
  return {
    catchUp,
    async rebuild() {
      await source.clearIndex()
      await catchUp()
    },
    async search(query: SearchQuery): Promise<SearchFinds> {
      const request = searchRequest(query)
      const { words, limit } = request
      const count = request.isThreadOnce ? limit : limit * PARTS_PER_FIND
      await catchUp()
      let all = await source.find(request, count, true)
      // If a rebuild of the index has begun, this look saw only half of it.
      if (all.length === 0 && (await source.isBehind())) {
        await catchUp()
        all = await source.find(request, count, true)
      }
      const isEnough = all.length > 0 && query.withAnyWord !== true
      if (isEnough || words.length === 1)
        return { finds: buildFinds(all, words, limit), hasAllWords: true }
      const some = await source.find(request, count, false)
      return { finds: buildFinds([...all, ...some], words, limit), hasAllWords: some.length === 0 }
    },
  }
}

export interface IndexedRows {
  readonly parts: readonly IndexedPart[]
  /** Calls still waiting for results behind the last fully indexed row. */
  readonly awaited: readonly AwaitedCall[]
  /** The row with too many parts; the next step continues with it. */
  readonly cutSeq?: number
}

/**
 * The text of one thread's rows, given the calls that waited before them. Indexes at most so many parts of
 * one row, and skips the parts of the first row that are indexed already.
 */
export function indexRows(
  threadId: string,
  rows: readonly StoredEvent[],
  before: readonly AwaitedCall[],
  { most = Number.POSITIVE_INFINITY, done = 0 } = {},
): IndexedRows {
  const parts: IndexedPart[] = []
  let awaited = before
  for (const [index, row] of rows.entries()) {
    const event = readRow(decodeRow(threadId, row))
    const { document, awaited: behind } = buildDocument(event, awaited)
    if (document) {
      const { kind, text, tool = null, file = null } = document
      const where = { tool: storable(tool), file: storable(file) }
      const about = { seq: row[0], kind, timeMs: event.timestamp.getTime(), ...where }
      const from = index === 0 ? done : 0
      for (const [part, piece] of readParts(text).entries()) {
        if (part < from) continue
        if (part >= from + most) return { parts, awaited, cutSeq: row[0] }
        parts.push({ ...about, part, words: [...findWords(piece)].map(({ word }) => word) })
      }
    }
    awaited = behind
  }
  return { parts, awaited }
}

/** The number of the last fully indexed row. */
export function lastSeq(rows: readonly StoredEvent[], { cutSeq }: IndexedRows): number | undefined {
  return cutSeq === undefined ? rows.at(-1)?.[0] : cutSeq - 1
}

/** The owner of a thread, from the first event of its log; `''` if there is none. */
export function ownerIn(threadId: string, first: StoredEvent | undefined): string {
  const event = first && readRow(decodeRow(threadId, first))
  return (event?.type === 'THREAD_STARTED' ? event.data.owner : undefined) ?? ''
}

/** What a list by owner needs from a store. */
export interface OwnerSource {
  /** Whether every thread's owner is known. Asked first: usually all are. */
  knowsOwners(): Promise<boolean>
  /** Looks up some unknown owners. True if more are left. */
  learnMore(): Promise<boolean>
}

/** Owners are stored in the cursors of the index, so appends have no extra work. */
export async function listByOwners<T>(source: OwnerSource, list: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    if (!(await source.knowsOwners())) await learnOwners(source)
    const listed = await list()
    // If a rebuild of the index has begun, threads are missing.
    if (tries === MOST_LISTS || (await source.knowsOwners())) return listed
  }
}

async function learnOwners(source: OwnerSource): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) if (!(await source.learnMore())) return
}

/** Removes characters that some database cannot store. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed()
}

function buildFinds(
  hits: readonly SearchHit[],
  words: readonly QueryWord[],
  limit: number,
): readonly SearchFind[] {
  const finds = new Map<string, SearchFind>()
  for (const hit of hits) {
    const name = `${hit.row[0]} ${hit.threadId}`
    if (finds.size === limit && !finds.has(name)) break
    if (!finds.has(name)) finds.set(name, buildFind(hit, words))
  }
  return [...finds.values()]
}

function buildFind(hit: SearchHit, words: readonly QueryWord[]): SearchFind {
  const { threadId, part, kind, tool, file, row } = hit
  const event = readRow(decodeRow(threadId, row))
  const text = readParts(buildDocument(event, []).document?.text ?? '')[part] ?? ''
  return {
    threadId,
    seq: row[0],
    kind,
    timestamp: event.timestamp,
    ...(tool !== null && { tool }),
    ...(file !== null && { file }),
    snippet: buildSnippet(text, words, SNIPPET_CHARS),
  }
}

/**
 * Raise this whenever the rules for words, kinds, files or owners change: the next search then rebuilds older
 * indexes. An older program accepts a newer index.
 */
export const INDEX_VERSION = 3
/** A damaged version may exceed every real number. */
export const MOST_VERSION = Number.MAX_SAFE_INTEGER
/** The version since which owners are computed as today. */
export const OWNER_VERSION = 3

export interface SearchRequest {
  readonly words: readonly QueryWord[]
  readonly limit: number
  readonly threadId: string | null
  readonly kinds: readonly string[] | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly tool: string | null
  /** The required end of the path, with a `/` before it. */
  readonly fileEnd: string | null
  readonly owners: readonly string[] | null
  readonly isThreadOnce: boolean
}

function searchRequest(query: SearchQuery): SearchRequest {
  const { text, limit = LIMITS.defaultFinds, threadId, kinds, tool, file, owners } = query
  checkNumber('the limit of a search', limit, 1, LIMITS.finds)
  if (threadId !== undefined) checkName('a thread id', threadId)
  if (typeof text !== 'string' || text.length > LIMITS.queryLength) {
    throw usageError(
      `A search is a text of up to ${LIMITS.queryLength} characters.`,
      'Name the words that matter.',
    )
  }
  const words = queryWords(text)
  if (words.length === 0) {
    throw usageError('The query contains no words.', 'Name at least one word.')
  }
  checkList('`kinds`', kinds)
  const unknown = kinds?.find((kind) => !SEARCH_KINDS.includes(kind))
  if (unknown !== undefined) {
    throw usageError(`Unknown kind: ${unknown}.`, `Kinds are ${SEARCH_KINDS.join(', ')}.`)
  }
  checkOwners(owners)
  if (tool !== undefined) checkText('`tool`', tool)
  if (file !== undefined) checkText('`file`', file)
  return {
    words,
    limit,
    threadId: threadId ?? null,
    kinds: kinds ?? null,
    sinceMs: readTime('since', query.since),
    untilMs: readTime('until', query.until),
    tool: tool ?? null,
    fileEnd: file === undefined ? null : `/${file.replace(/^(?:\.?\/)+/, '')}`,
    owners: owners ?? null,
    isThreadOnce: query.isThreadOnce === true,
  }
}

/** As a database compares it: each rejects other characters. */
function checkText(what: string, text: unknown): void {
  const isText = typeof text === 'string' && text !== '' && text.length <= LIMITS.filterLength
  if (isText && text.isWellFormed() && !text.includes('\0')) return
  throw usageError(
    `${what} must be a text of 1 to ${LIMITS.filterLength} characters, without NUL.`,
    'Correct it, or leave the filter out.',
  )
}

function readTime(name: string, date: Date | undefined): number | null {
  if (date === undefined) return null
  const time = date instanceof Date ? date.getTime() : Number.NaN
  if (Number.isNaN(time)) throw usageError(`\`${name}\` is not a valid date.`, 'Pass a valid Date.')
  return time
}

/** A thread that is not fully indexed; `fromSeq` and the rest are null if nothing is. */
export interface LaggingThread {
  readonly key: number
  readonly threadId: string
  readonly version: number
  readonly baseSeq: number
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly awaited: string | null // JSON
  readonly indexVersion: number | null
  /** Parts done of the row behind `toSeq`: a long row takes several steps. */
  readonly partsDone: number
}
