// Searching over any store that can index rows and look words up: what is asked, in which order, and what is shown.
// By which rules a search index was made. Alone in its file: database threads load it, and not the rules.
// A search, checked and taken apart before a store looks anything up; the same for every store.
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

/** A stretch of what an event says, as an index keeps it. */
export interface IndexedPart {
  readonly seq: number
  readonly part: number // 0, 1, 2 … within the event
  readonly kind: SearchKind
  readonly timeMs: number
  readonly tool: string | null
  readonly file: string | null
  readonly words: readonly string[]
}

/** A part that was found, and the event that it is of. */
export interface SearchHit {
  readonly threadId: string
  readonly part: number
  readonly kind: SearchKind
  readonly tool: string | null
  readonly file: string | null
  readonly row: StoredEvent
}

/** What searching needs of a store. */
export interface IndexSource {
  /** Whether something is not indexed yet: asked first, since mostly nothing is, and writers are not held up. */
  isBehind(): Promise<boolean>
  /**
   * Takes in a bounded stretch of what is not indexed yet. True where some of it is left; what others
   * append meanwhile does not count, or a search might never end.
   */
  indexMore(): Promise<boolean>
  clearIndex(): Promise<void>
  /** At most `count` parts, best first, with all of the words or with any. */
  find(request: SearchRequest, count: number, hasAllWords: boolean): Promise<readonly SearchHit[]>
}

const SNIPPET_CHARS = 240
/** Several parts of one event may be found; it is shown once. */
const PARTS_PER_FIND = 3
/** Others may append faster than this can index: then the search goes on with what it has. */
const MOST_STEPS = 100_000
/** Where others begin threads all the time there are always some whose owner is not known yet. */
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
      // Somebody may have begun to make the index anew meanwhile: then this was a look at half of it.
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
  /** The calls that wait for their results behind the last row that is indexed as a whole. */
  readonly awaited: readonly AwaitedCall[]
  /** The row that has more parts than were asked for: it is gone on with in the next step. */
  readonly cutSeq?: number
}

/**
 * What the rows of one thread say, from the calls on that waited before them; of one row at most so many
 * parts, without the first ones of the first row, which are indexed already.
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

/** Of the last row that is indexed as a whole. */
export function lastSeq(rows: readonly StoredEvent[], { cutSeq }: IndexedRows): number | undefined {
  return cutSeq === undefined ? rows.at(-1)?.[0] : cutSeq - 1
}

/** Whose thread it is by the first event of its log; `''` where nobody is named. */
export function ownerIn(threadId: string, first: StoredEvent | undefined): string {
  const event = first && readRow(decodeRow(threadId, first))
  return (event?.type === 'THREAD_STARTED' ? event.data.owner : undefined) ?? ''
}

/** What a list of the threads of some owners needs of a store. */
export interface OwnerSource {
  /** Whether the owner of every thread is known: asked first, since mostly all are. */
  knowsOwners(): Promise<boolean>
  /** Finds out some of those that are not. True where more are left. */
  learnMore(): Promise<boolean>
}

/** Owners stand in the cursors of the index, so that an append has nothing to do with them. */
export async function listByOwners<T>(source: OwnerSource, list: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    if (!(await source.knowsOwners())) await learnOwners(source)
    const listed = await list()
    // Somebody may have begun to make the index anew meanwhile: then threads are missing.
    if (tries === MOST_LISTS || (await source.knowsOwners())) return listed
  }
}

async function learnOwners(source: OwnerSource): Promise<void> {
  for (let steps = 0; steps < MOST_STEPS; steps += 1) if (!(await source.learnMore())) return
}

/** A text in which no database finds a sign that it cannot keep. */
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
 * Raised whenever words, kinds, files or owners are made in another way: what an older program indexed is
 * then indexed anew at the next search. A newer index is good enough for an older program.
 */
export const INDEX_VERSION = 3
/** A version that is damaged may be larger than any number that a thread reaches. */
export const MOST_VERSION = Number.MAX_SAFE_INTEGER
/** Since which version owners are made as they are now. */
export const OWNER_VERSION = 3

export interface SearchRequest {
  readonly words: readonly QueryWord[]
  readonly limit: number
  readonly threadId: string | null
  readonly kinds: readonly string[] | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly tool: string | null
  /** What its path, with a `/` before it, must end with. */
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

/** As a database compares it: each takes other signs amiss. */
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

/** A thread of which something is not indexed; `fromSeq` and what follows are null where nothing is. */
export interface LaggingThread {
  readonly key: number
  readonly threadId: string
  readonly version: number
  readonly baseSeq: number
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly awaited: string | null // JSON
  readonly indexVersion: number | null
  /** Of the row behind `toSeq`: one that is long is indexed in several steps. */
  readonly partsDone: number
}
