// A search, checked and taken apart before a store looks anything up; the same for every store.
import type { SearchQuery } from '../../core/ports.ts'
import { SEARCH_KINDS } from '../../core/search/documents.ts'
import { type QueryWord, queryWords } from '../../core/search/words.ts'
import { usageError } from '../errors.ts'
import { LIMITS } from '../rows/limits.ts'
import { checkList, checkName, checkNumber, checkOwners } from '../rows/stored-event.ts'

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

export function searchRequest(query: SearchQuery): SearchRequest {
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
