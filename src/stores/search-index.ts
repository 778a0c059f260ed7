// Searching over any store that can index rows and look words up: what is asked, in which order, and what is shown.
import { readRow } from '../core/codec.ts'
import type { SearchFind, SearchFinds, SearchIndex, SearchQuery } from '../core/ports.ts'
import { type AwaitedCall, documentOf, partsOf, type SearchKind } from '../core/search-documents.ts'
import { snippetOf } from '../core/search-snippet.ts'
import { type QueryWord, wordsOf } from '../core/search-tokens.ts'
import { type Cells, decodeRow } from './cells.ts'
import { type SearchRequest, searchRequest } from './search-request.ts'

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
  readonly row: Cells
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
      const all = await source.find(request, count, true)
      if (all.length > 0 || words.length === 1)
        return { finds: findsOf(all, words, limit), hasAllWords: true }
      const some = await source.find(request, count, false)
      return { finds: findsOf(some, words, limit), hasAllWords: some.length === 0 }
    },
  }
}

/** What the rows of one thread say, from the calls on that waited before them. */
export function indexRows(
  threadId: string,
  rows: readonly Cells[],
  before: readonly AwaitedCall[],
): { readonly parts: readonly IndexedPart[]; readonly awaited: readonly AwaitedCall[] } {
  const parts: IndexedPart[] = []
  let awaited = before
  for (const row of rows) {
    const event = readRow(decodeRow(threadId, row))
    const read = documentOf(event, awaited)
    awaited = read.awaited
    if (!read.document) continue
    const { kind, text, tool = null, file = null } = read.document
    const where = { tool: storable(tool), file: storable(file) }
    const about = { seq: row[0], kind, timeMs: event.timestamp.getTime(), ...where }
    for (const [part, piece] of partsOf(text).entries())
      parts.push({ ...about, part, words: [...wordsOf(piece)].map(({ word }) => word) })
  }
  return { parts, awaited }
}

/** Whose thread it is by the first event of its log; `''` where nobody is named. */
export function ownerIn(threadId: string, first: Cells | undefined): string {
  const event = first && readRow(decodeRow(threadId, first))
  return (event?.type === 'THREAD_STARTED' ? event.data.owner : undefined) ?? ''
}

/** A text in which no database finds a sign that it cannot keep. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed()
}

function findsOf(
  hits: readonly SearchHit[],
  words: readonly QueryWord[],
  limit: number,
): readonly SearchFind[] {
  const finds = new Map<string, SearchFind>()
  for (const hit of hits) {
    const name = `${hit.row[0]} ${hit.threadId}`
    if (finds.size === limit && !finds.has(name)) break
    if (!finds.has(name)) finds.set(name, findOf(hit, words))
  }
  return [...finds.values()]
}

function findOf(hit: SearchHit, words: readonly QueryWord[]): SearchFind {
  const { threadId, part, kind, tool, file, row } = hit
  const event = readRow(decodeRow(threadId, row))
  const text = partsOf(documentOf(event, []).document?.text ?? '')[part] ?? ''
  return {
    threadId,
    seq: row[0],
    kind,
    timestamp: event.timestamp,
    ...(tool !== null && { tool }),
    ...(file !== null && { file }),
    snippet: snippetOf(text, words, SNIPPET_CHARS),
  }
}
