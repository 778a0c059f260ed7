// `recall` over one session of a host: content removed by compactions, by words or ref.
import type { Json } from '../core/text/json.ts'
import { createThreads } from '../doors/threads.ts'
import { importSession } from '../formats/reading/import-session.ts'
import { textSource } from '../formats/reading/sample.ts'
import type { SessionFormat } from '../formats/session-format.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { archiveOf } from '../threads/archive.ts'
import { recallTool } from '../tools/compact/recall.ts'

/** An error in the query is returned as the answer. */
export async function recallIn(format: SessionFormat, text: string, asked: Json): Promise<string> {
  const store = memoryStore()
  const threads = createThreads({ store })
  const { threadId } = await importSession(threads, format, textSource(text))
  const tool = recallTool(() => archiveOf({ threads, store }, threadId))
  const { signal } = new AbortController()
  const { content } = await tool.run(asked, { threadId, callId: 'recall', signal })
  return content.map((block) => block.text ?? '').join('\n')
}
