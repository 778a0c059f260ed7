// A search, checked and taken apart before a store looks anything up; the same for every store.
import type { SearchQuery } from '../core/ports.ts'
import { SEARCH_KINDS } from '../core/search-documents.ts'
import { type QueryWord, queryWords } from '../core/search-tokens.ts'
import { checkName, checkNumber } from './cells.ts'
import { usageError } from './errors.ts'
import { LIMITS } from './limits.ts'

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
}

export function searchRequest(query: SearchQuery): SearchRequest {
  const { text, limit = LIMITS.defaultFinds, threadId, kinds, tool, file } = query
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
    throw usageError('There is no word in what is looked for.', 'Name at least one word.')
  }
  const unknown = kinds?.find((kind) => !SEARCH_KINDS.includes(kind))
  if (unknown !== undefined) {
    throw usageError(`Nothing is of the kind ${unknown}.`, `Kinds are ${SEARCH_KINDS.join(', ')}.`)
  }
  return {
    words,
    limit,
    threadId: threadId ?? null,
    kinds: kinds ?? null,
    sinceMs: timeOf('since', query.since),
    untilMs: timeOf('until', query.until),
    tool: tool ?? null,
    fileEnd: file === undefined ? null : `/${file.replace(/^(?:\.?\/)+/, '')}`,
  }
}

function timeOf(name: string, date: Date | undefined): number | null {
  if (date === undefined) return null
  const time = date.getTime()
  if (Number.isNaN(time)) throw usageError(`\`${name}\` is no date.`, 'Pass a valid Date.')
  return time
}
