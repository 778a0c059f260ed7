// Words looked for in all threads of a store at once, through its index.
import type { Composed } from '../compose.ts'
import { refInThread } from '../core/archive.ts'
import { readRow } from '../core/codec.ts'
import { originalId } from '../core/entry.ts'
import { PrecisError } from '../core/errors.ts'
import type { SearchFind } from '../core/ports.ts'
import type { SearchKind } from '../core/search-documents.ts'
import { LIMITS } from '../stores/limits.ts'
import type { Recalled } from './recalled.ts'

/** What a ref can name: summaries and reminders say again what others said. */
const KINDS: readonly SearchKind[] = ['user', 'agent', 'call', 'result']
/** What it reads from the archive is in the archive already; and a question is no answer. */
const RECALL = 'recall'

export async function searchAll(
  composed: Composed,
  query: string,
  limit: number,
): Promise<Recalled> {
  const { store } = composed
  if (!store.index)
    throw new PrecisError('usage', 'this store cannot be searched as a whole', {
      hint: 'Name a thread with --in.',
    })
  const found = await store.index.search({ text: query, limit: LIMITS.finds, kinds: KINDS })
  const matching = found.finds.filter(({ tool }) => tool !== RECALL)
  const finds = await Promise.all(matching.slice(0, limit).map((find) => recalled(composed, find)))
  const threads = new Set(finds.map(({ threadId }) => threadId)).size
  return {
    query,
    threads,
    matching: matching.length,
    finds: finds.map(({ threadId, ...find }) => find),
  }
}

async function recalled({ threads, store }: Composed, find: SearchFind) {
  const { threadId, seq, kind, tool, timestamp, snippet } = find
  const id = originalId(kind === 'call' ? await answerOf(store, threadId, seq) : seq)
  const { items } = await threads.context(threadId)
  return {
    threadId,
    ref: refInThread(threadId, id),
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
