// A thread as a database tells of it, and pages of the list of threads.
import type { Page, ThreadInfo } from '../../core/ports.ts'
import { encodeCursor } from './cursor.ts'
import type { Parent } from './requests.ts'

export interface ThreadCells {
  readonly threadId: string
  readonly version: number
  readonly createdAt: number // ms since 1970
  readonly updatedAt: number
  readonly parent?: Parent
}

export function infoOf({ createdAt, updatedAt, ...rest }: ThreadCells): ThreadInfo {
  return { ...rest, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}

/** One more than asked for was looked up: it tells whether there is another page. */
export function pageOf(found: readonly ThreadCells[], limit: number): Page<ThreadInfo> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (!last || found.length <= limit) return { items: items.map(infoOf) }
  return { items: items.map(infoOf), next: encodeCursor([last.updatedAt, last.threadId]) }
}
