// The archive as a port: everything that was ever said in a thread, to be read and searched again.
import type { EntryId } from '../edit/change.ts'
import { isEntryId } from '../view/entry.ts'

/** A stretch of the text that a ref stands for. */
export interface ArchivePage {
  readonly text: string
  /** Where to continue, in characters; absent if this was the end. */
  readonly next?: number
}

export interface ArchiveFind {
  readonly ref: string // an entry of this thread, or of one that it came from: see `parseRef`
  readonly speaker: string // `user`, `agent`, `result of read`
  readonly timestamp: Date
  readonly snippet: string // one line, around the words that were looked for
  /** Names near the words that the snippet does not have, the likeliest first. */
  readonly names: readonly string[]
  /** It is in the context now: nothing is gained by reading it again. */
  readonly isVisible: boolean
}

export interface ArchiveFinds {
  readonly finds: readonly ArchiveFind[] // best first; what is visible comes last
  /** Entries behind those, with the names in them that are as likely to be meant. */
  readonly further: readonly Pick<ArchiveFind, 'ref' | 'names'>[]
  readonly matching: number // all that were found, with those that are not listed
  /** The first event that was looked at; above 1 where the thread is too long to go further back. */
  readonly searchedFrom: number
  /** In which thread, where that is one that this one came from. */
  readonly searchedThread?: string
}

/** Rejects with PrecisErrors: `unknown-entry` for a ref under which there is nothing. */
export interface Archive {
  /** At most `limit` characters from `offset` on; no surrogate pair is split between two pages. */
  read(ref: string, offset: number, limit: number): Promise<ArchivePage>
  /** At most `limit` finds. The work is bounded, whatever the length of the thread. */
  search(query: string, limit: number): Promise<ArchiveFinds>
}

/** A ref taken apart; without a thread it is of the thread that asks. */
export interface ParsedRef {
  readonly threadId?: string
  readonly id: EntryId
}

/** `e12`, or `thr_7:e12` in a thread that this one came from: there the same names are taken again. */
export function parseRef(ref: string): ParsedRef | undefined {
  const colon = ref.lastIndexOf(':')
  const [threadId, id] = [ref.slice(0, Math.max(0, colon)), ref.slice(colon + 1)]
  if (!isEntryId(id) || colon === 0) return undefined
  return colon < 0 ? { id } : { threadId, id }
}

export function refInThread(threadId: string, id: EntryId): string {
  return `${threadId}:${id}`
}
