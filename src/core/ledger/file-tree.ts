// The known files of the log, with directories, branches and stashes
import { BucketMap } from './bucket-map.ts'
import type { FileRecord, Version } from './file-record.ts'

export interface Stashed {
  readonly path: string
  readonly work: Version
  readonly index: Version
}

export interface FileTree {
  readonly files: BucketMap<FileRecord>
  /** Folders that are there; `new` where they came with a command, `all` where all in them was shown. */
  readonly folders: BucketMap<FolderRecord>
  readonly branch?: string
  /** What the last commit of each branch that was left holds, where that is not what it was at the start. */
  readonly branches: Readonly<Record<string, readonly (readonly [string, Version])[]>>
  readonly stashes: readonly (readonly Stashed[])[]
  readonly versions: number // how many contents have been written
  /** Some that were seen are no longer known: from here on, a path that is not known may be there. */
  readonly isPartial: boolean
  /** The event whose output was the last word of git on what is changed. */
  readonly statusAt?: number
}

export interface FolderRecord {
  readonly path: string
  readonly isNew?: true
  readonly shown?: 'files' | 'all' // the files in it, or those below too
}

export function emptyTree(): FileTree {
  return {
    files: BucketMap.of(),
    folders: BucketMap.of(),
    branches: {},
    stashes: [],
    versions: 1,
    isPartial: false,
  }
}
