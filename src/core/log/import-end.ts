// The last event of an import: a thread that announces one and lacks it is partial.
import type { Store, ThreadInfo } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { EventDraft, ThreadEvent } from './event.ts'

/** Its id. The first event of an imported thread names it in its source; older imports do not. */
export const IMPORT_END = 'import_end'

export function importEnd(): EventDraft {
  return { type: 'FOREIGN', id: IMPORT_END, data: { import: 'ended' } }
}

/** The id of the event that makes a thread whole, where its first event announces one. */
export function announcedEnd(first: ThreadEvent | undefined): string | undefined {
  if (first?.type !== 'THREAD_STARTED') return undefined
  const { source } = first
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return undefined
  const { end } = source as { readonly [key: string]: Json }
  return typeof end === 'string' ? end : undefined
}

/** Whether the import of a thread was interrupted, or is under way. A fork is as long as it was meant to be. */
export async function isPartialImport(
  store: Pick<Store, 'find'>,
  { threadId, parent }: Pick<ThreadInfo, 'threadId' | 'parent'>,
  first: ThreadEvent | undefined,
): Promise<boolean> {
  const end = parent ? undefined : announcedEnd(first)
  if (end === undefined || !store.find) return false
  return (await store.find(threadId, end)) === undefined
}
