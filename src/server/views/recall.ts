// Search in a thread by words, and reading by ref
import type { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import type { Archive } from '../../core/search/archive.ts'
import type { recalledSchema } from '../../protocol/schemas.ts'

type WireRecalled = z.output<typeof recalledSchema>

const MOST_FINDS = 20
const PAGE_CHARS = 100_000

export async function recalled(
  archive: Archive,
  { query, ref, offset = 0 }: { query?: string; ref?: string; offset?: number },
): Promise<WireRecalled> {
  if (query !== undefined && ref === undefined) return found(archive, query)
  if (ref !== undefined && query === undefined) {
    const page = await archive.read(ref, offset, PAGE_CHARS)
    return { ...page, hits: [] }
  }
  throw new PrecisError('invalid-input', 'Give either `query` or `ref`.', {
    where: 'query',
    hint: 'Use `query` to search, and `ref` to read a match in full.',
  })
}

async function found(archive: Archive, query: string): Promise<WireRecalled> {
  const { finds, matching } = await archive.search(query, MOST_FINDS)
  const hits = finds.map(({ ref, speaker, timestamp, snippet }) => ({
    ref,
    speaker,
    timestamp: timestamp.toISOString(),
    text: snippet,
  }))
  if (hits.length === 0) return { text: 'Nothing was found.', hits }
  const more = matching > hits.length ? [`${matching - hits.length} more were found.`] : []
  const lines = hits.map(({ ref, speaker, text }) => `[ref:${ref}] ${speaker}: ${text}`)
  return { text: [...lines, ...more].join('\n'), hits }
}
