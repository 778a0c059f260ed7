// Looking words up in the index.
import type { QueryWord } from '../../core/search/words.ts'
import type { SearchHit } from '../search/search-index.ts'
import { segments } from './chain.ts'
import type { FindRequest } from './protocol.ts'
import type { Tables } from './tables.ts'

export function find(
  tables: Tables,
  { search, count, hasAllWords }: FindRequest,
): readonly SearchHit[] {
  const { threadId } = search
  const thread = threadId === null ? undefined : tables.threads.find(threadId)
  if (threadId !== null && !thread) return []
  const found = tables.search.find({
    ...search,
    count,
    match: search.words.map(matchOf).join(hasAllWords ? ' AND ' : ' OR '),
    segments: thread ? segments(tables, thread, 1, thread.version) : null,
  })
  return found.flatMap(({ key, seq, threadId: owner, part, kind, tool, file }) => {
    const [row] = tables.events.iterate(key, seq, seq)
    return row ? [{ threadId: threadId ?? owner, part, kind, tool, file, row }] : []
  })
}

function matchOf({ word, isPrefix }: QueryWord): string {
  return `"${word.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`
}
