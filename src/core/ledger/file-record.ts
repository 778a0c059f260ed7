// One file in the ledger: at the start, in the last commit, in the index, on disk

/**
 * A content, without its bytes: 0 is «not there», 1 what the file was at the start, a greater number what
 * was written since, and a path what that other file was at the start.
 */
export type Version = number | string

export const ABSENT = 0
export const AS_AT_START = 1

export interface FileRecord {
  /** From the root of the work, or absolute. */
  readonly path: string
  /** As a call or a result wrote it last; empty if none wrote it in one piece. */
  readonly name: string
  /** The folder that the name is seen from, as it was written, where that is not the root. */
  readonly folder?: string
  readonly start: typeof ABSENT | typeof AS_AT_START
  /** False if nothing said whether it was there at the start. */
  readonly isSure: boolean
  readonly head: Version
  readonly index: Version
  readonly work: Version
  /** Where it came from by a move, as a path at the start. */
  readonly from?: string
  /** It came from there by a copy: only if the original goes is it the renamed one. */
  readonly isCopy?: true
  /** Numbers of the events that last read and last changed it. */
  readonly readAt?: number
  readonly changedAt?: number
}

/** A file as it was at the start, there or not. */
export function readRecord(path: string, start: 0 | 1, isSure: boolean): FileRecord {
  return { path, name: path, start, isSure, head: start, index: start, work: start }
}

export type FileState = 'created' | 'modified' | 'deleted' | 'renamed'

/** What became of a file since the start; undefined if nothing did, or nothing is left of it. */
export function readState(
  record: FileRecord,
  at: (path: string) => FileRecord | undefined,
): FileState | undefined {
  const { start, work, from } = record
  if (start === ABSENT) {
    if (work === ABSENT) return undefined
    // Where the old name is in use again, it was a copy after all.
    return from !== undefined && at(from)?.work === ABSENT ? 'renamed' : 'created'
  }
  if (work === ABSENT) return 'deleted'
  return work === AS_AT_START ? undefined : 'modified'
}

/** Seen in a listing, and nothing more. */
export function isOnlySeen({ readAt, changedAt }: FileRecord): boolean {
  return readAt === undefined && changedAt === undefined
}

/** The known files of the log, with directories, branches and stashes */
export interface StashEntry {
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
  readonly stashes: readonly (readonly StashEntry[])[]
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

const BUCKETS = 128

/** Keys with their values; a change costs a bucket, not the whole. Order is that of buckets, not of time. */
export class BucketMap<V> {
  readonly size: number
  readonly #buckets: readonly (ReadonlyMap<string, V> | undefined)[]

  private constructor(buckets: readonly (ReadonlyMap<string, V> | undefined)[], size: number) {
    this.#buckets = buckets
    this.size = size
  }

  static of<V>(entries: Iterable<readonly [string, V]> = []): BucketMap<V> {
    const buckets: (Map<string, V> | undefined)[] = new Array(BUCKETS).fill(undefined)
    let size = 0
    for (const [key, value] of entries) {
      const at = hashBucket(key)
      const bucket = buckets[at] ?? new Map<string, V>()
      if (!bucket.has(key)) size += 1
      buckets[at] = bucket.set(key, value)
    }
    return new BucketMap(buckets, size)
  }

  get(key: string): V | undefined {
    return this.#buckets[hashBucket(key)]?.get(key)
  }

  with(key: string, value: V): BucketMap<V> {
    const at = hashBucket(key)
    const before = this.#buckets[at]
    const isNew = before === undefined || !before.has(key)
    return new BucketMap(
      this.#buckets.with(at, new Map(before).set(key, value)),
      this.size + (isNew ? 1 : 0),
    )
  }

  /** Only those whose value is among these. */
  keeping(values: Iterable<V>): BucketMap<V> {
    const kept = new Set(values)
    const buckets = this.#buckets.map(
      (bucket) => bucket && new Map([...bucket].filter(([, value]) => kept.has(value))),
    )
    return new BucketMap(buckets, kept.size)
  }

  *values(): IterableIterator<V> {
    for (const bucket of this.#buckets) if (bucket) yield* bucket.values()
  }
}

function hashBucket(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1)
}
