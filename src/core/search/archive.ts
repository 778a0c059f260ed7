// The archive as a port: everything ever said in a thread, readable and searchable.
import type { EntryId } from '../edit/change.ts'
import { isEntryId } from '../view/entry.ts'

/** Part of a ref's text. */
export interface ArchivePage {
  readonly text: string
  /** Where to continue, in characters; absent at the end. */
  readonly next?: number
}

export interface ArchiveFind {
  readonly ref: string // an entry of this thread, or of one that it came from: see `parseRef`
  readonly speaker: string // `user`, `agent`, `result of read`
  readonly timestamp: Date
  readonly snippet: string // one line around the search words
  /** Names near the words that the snippet lacks, most likely first. */
  readonly names: readonly string[]
  /** It is in the context, so reading it gains nothing. */
  readonly isVisible: boolean
}

export interface ArchiveFinds {
  readonly finds: readonly ArchiveFind[] // best first; visible ones last
  /** Further entries with names that may be meant. */
  readonly further: readonly Pick<ArchiveFind, 'ref' | 'names'>[]
  readonly matching: number // all matches, including unlisted ones
  /** The first event examined; above 1 if the thread is too long. */
  readonly searchedFrom: number
  /** The thread it is from, if this one came from it. */
  readonly searchedThread?: string
}

/** Rejects with PrecisErrors: `unknown-entry` for a ref without content. */
export interface Archive {
  /** At most `limit` characters from `offset`; never splits a surrogate pair. */
  read(ref: string, offset: number, limit: number): Promise<ArchivePage>
  /** At most `limit` finds. Bounded work for any thread. */
  search(query: string, limit: number): Promise<ArchiveFinds>
}

/** A parsed ref; without a thread it belongs to the asking one. */
export interface ParsedRef {
  readonly threadId?: string
  readonly id: EntryId
}

/** `e12`, or `thr_7:e12` for an origin of this thread, which uses the same names. */
export function parseRef(ref: string): ParsedRef | undefined {
  const colon = ref.lastIndexOf(':')
  const [threadId, id] = [ref.slice(0, Math.max(0, colon)), ref.slice(colon + 1)]
  if (!isEntryId(id) || colon === 0) return undefined
  return colon < 0 ? { id } : { threadId, id }
}

export function refInThread(threadId: string, id: EntryId): string {
  return `${threadId}:${id}`
}
