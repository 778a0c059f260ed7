// The archive as a port: everything that was ever said in a thread, to be read and searched again.
import type { EntryId } from './change.ts'

/** A stretch of the text that a ref stands for. */
export interface ArchivePage {
  readonly text: string
  /** Where to go on, in characters; absent where this was the end. */
  readonly next?: number
}

export interface ArchiveFind {
  readonly ref: EntryId
  readonly speaker: string // `user`, `agent`, `result of read`
  readonly timestamp: Date
  readonly snippet: string // one line, around the words that were looked for
  /** It is in the context now: nothing is gained by reading it again. */
  readonly isVisible: boolean
}

export interface ArchiveFinds {
  readonly finds: readonly ArchiveFind[] // best first; what is visible comes last
  readonly matching: number // all that were found, with those that are not listed
  /** The first event that was looked at; above 1 where the thread is too long to go further back. */
  readonly searchedFrom: number
}

/** Rejects with PrecisErrors: `unknown-entry` for a ref under which there is nothing. */
export interface Archive {
  /** At most `limit` characters from `offset` on; no surrogate pair is split between two pages. */
  read(ref: string, offset: number, limit: number): Promise<ArchivePage>
  /** At most `limit` finds. The work is bounded, whatever the length of the thread. */
  search(query: string, limit: number): Promise<ArchiveFinds>
}
