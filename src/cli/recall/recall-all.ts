// Words looked for in all threads of a store at once, or in some of them, through its index.
import type { Composed } from '../../compose.ts'
import type { EntryId } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { SearchFind, SearchFinds } from '../../core/ports.ts'
import { refInThread } from '../../core/search/archive.ts'
import type { SearchKind } from '../../core/search/documents.ts'
import { originalId } from '../../core/view/entry.ts'
import { LIMITS } from '../../stores/rows/limits.ts'
import { pastThreadsOf } from '../../threads/past-threads.ts'
import type { Recalled } from './recalled.ts'

/** What a ref can name: summaries and reminders say again what others said. */
const KINDS: readonly SearchKind[] = ['user', 'agent', 'call', 'result']
/** What it reads from the archive is in the archive already; and a question is not an answer. */
const RECALL = 'recall'

/** What was found, by the entry that it belongs to. */
interface Found {
  readonly find: SearchFind
  readonly id: EntryId
  readonly ref: string
}

export async function searchAll(
  composed: Composed,
  query: string,
  limit: number,
): Promise<Recalled> {
  const { finds } = await search(composed, query)
  const found = await entriesOf(composed, finds, refInThread)
  const shown = await Promise.all(found.slice(0, limit).map((each) => recalled(composed, each)))
  const threads = new Set(found.slice(0, limit).map(({ find }) => find.threadId)).size
  return { query, threads, matching: found.length, finds: shown }
}

/**
 * The same in some threads: what has all the words, and only if nothing has, what has some. What a
 * fresh session came from is looked through with it.
 */
export async function searchIn(
  composed: Composed,
  threadIds: readonly string[],
  query: string,
  limit: number,
): Promise<Recalled> {
  const places: { isWhole: boolean; found: Found[] }[] = []
  for (const threadId of threadIds) {
    const own = await search(composed, query, threadId)
    const found = await entriesOf(composed, own.finds, (_, id) => id)
    places.push({ isWhole: own.hasAllWords, found })
    for await (const past of pastThreadsOf(composed.store, threadId)) {
      const { finds, hasAllWords } = await search(composed, query, past.threadId)
      const known = finds.filter(({ seq }) => seq <= past.upTo)
      const earlier = await entriesOf(composed, known, refInThread)
      places.push({ isWhole: hasAllWords, found: earlier })
    }
  }
  const hits = places.filter(({ found }) => found.length > 0)
  const hasWhole = hits.some(({ isWhole }) => isWhole)
  const found = hits.filter(({ isWhole }) => isWhole || !hasWhole).flatMap((hit) => hit.found)
  const shown = await Promise.all(found.slice(0, limit).map((each) => recalled(composed, each)))
  return { query, threads: threadIds.length, matching: found.length, finds: shown }
}

async function search({ store }: Composed, text: string, threadId?: string): Promise<SearchFinds> {
  if (!store.index)
    throw new PrecisError('usage', 'this store cannot be searched', {
      hint: 'Stores of SQLite, Postgres and memory can: precis store copies into one.',
    })
  const where = threadId === undefined ? {} : { threadId }
  return store.index.search({ text, limit: LIMITS.finds, kinds: KINDS, ...where })
}

/** Each entry once, also if several calls of an answer were found. */
async function entriesOf(
  { store }: Composed,
  finds: readonly SearchFind[],
  refOf: (threadId: string, id: EntryId) => string,
): Promise<Found[]> {
  const found = new Map<string, Found>()
  for (const find of finds) {
    const { threadId, seq, kind, tool } = find
    if (tool === RECALL) continue
    const id = originalId(kind === 'call' ? await answerOf(store, threadId, seq) : seq)
    const key = refInThread(threadId, id)
    if (!found.has(key)) found.set(key, { find, id, ref: refOf(threadId, id) })
  }
  return [...found.values()]
}

async function recalled(
  { threads }: Composed,
  { find, id, ref }: Found,
): Promise<Recalled['finds'][number]> {
  const { threadId, kind, tool, timestamp, snippet } = find
  const { items } = await threads.context(threadId)
  return {
    ref,
    speaker: kind === 'result' ? `result of ${tool ?? 'a call'}` : kind === 'call' ? 'agent' : kind,
    snippet: snippet.text,
    isVisible: [...items].some((item) => item.id === id),
    at: timestamp.toISOString(),
  }
}

/** A call belongs to an answer, and has no ref of its own. */
async function answerOf(store: Composed['store'], threadId: string, seq: number): Promise<number> {
  const [row] = await store.read(threadId, { from: seq, to: seq })
  const event = row && readRow(row)
  return event?.type === 'TOOL_CALL' ? event.data.answer : seq
}
