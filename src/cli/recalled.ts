// What a search for words has found.
import type { ArchiveFind } from '../core/archive.ts'

export interface Recalled {
  readonly query: string
  readonly threads: number // that were searched; where all were, those in which something was found
  readonly matching: number // where all were searched, at most 100
  readonly finds: readonly (Omit<ArchiveFind, 'timestamp'> & { readonly at: string })[]
}
