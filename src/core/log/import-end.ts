// The last event of an import: a thread that announces one and lacks it is partial.
import type { Store, ThreadInfo } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { EventDraft, ThreadEvent } from './event.ts'

/** Its id, named in the source of an imported thread's first event; older imports lack it. */
export const IMPORT_END = 'import_end'

export function importEnd(): EventDraft {
  return { type: 'FOREIGN', id: IMPORT_END, data: { import: 'ended' } }
}

/** The id of the event that completes a thread, if its first event announces one. */
export function announcedEnd(first: ThreadEvent | undefined): string | undefined {
  if (first?.type !== 'THREAD_STARTED') return undefined
  const { source } = first
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return undefined
  const { end } = source as { readonly [key: string]: Json }
  return typeof end === 'string' ? end : undefined
}

/** Whether a thread's import was interrupted or is running. A fork is as long as intended. */
export async function isPartialImport(
  store: Pick<Store, 'find'>,
  { threadId, parent }: Pick<ThreadInfo, 'threadId' | 'parent'>,
  first: ThreadEvent | undefined,
): Promise<boolean> {
  const end = parent ? undefined : announcedEnd(first)
  if (end === undefined || !store.find) return false
  return (await store.find(threadId, end)) === undefined
}
