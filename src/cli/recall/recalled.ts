// Prints the matches of a search
import type { ArchiveFind } from '../../core/search/archive.ts'

export interface Recalled {
  readonly query: string
  readonly threads: number // that were searched; where all were, those in which something was found
  readonly matching: number // at most 100 of a thread, or where all were searched, of all
  readonly finds: readonly (Omit<ArchiveFind, 'timestamp'> & { readonly at: string })[]
}
