// One file in the ledger: at the start, in the last commit, in the index, on disk.

/**
 * Identifies a content: 0 means missing, 1 the file's content at the start, larger numbers later writes, and
 * a path another file's content at the start.
 */
export type Version = number | string

export const ABSENT = 0
export const AS_AT_START = 1

export interface FileRecord {
  /** Relative to the work's root, or absolute. */
  readonly path: string
  /** The latest spelling in a call or result; empty if it was never written in one piece. */
  readonly name: string
  /** The folder the name is relative to, as written, if not the root. */
  readonly folder?: string
  readonly start: typeof ABSENT | typeof AS_AT_START
  /** False if its existence at the start is unknown. */
  readonly isSure: boolean
  readonly head: Version
  readonly index: Version
  readonly work: Version
  /** Its origin in a move, as a path at the start. */
  readonly from?: string
  /** The origin was copied: this is a rename only if the original is deleted. */
  readonly isCopy?: true
  /** The events that last read and last changed it. */
  readonly readAt?: number
  readonly changedAt?: number
}

/** A file as at the start, existing or not. */
export function readRecord(path: string, start: 0 | 1, isSure: boolean): FileRecord {
  return { path, name: path, start, isSure, head: start, index: start, work: start }
}

export type FileState = 'created' | 'modified' | 'deleted' | 'renamed'

/** What happened to a file since the start; undefined if nothing, or if nothing is left. */
export function readState(
  record: FileRecord,
  at: (path: string) => FileRecord | undefined,
): FileState | undefined {
  const { start, work, from } = record
  if (start === ABSENT) {
    if (work === ABSENT) return undefined
    // If the old name is in use again, it was a copy.
    return from !== undefined && at(from)?.work === ABSENT ? 'renamed' : 'created'
  }
  if (work === ABSENT) return 'deleted'
  return work === AS_AT_START ? undefined : 'modified'
}

/** Only seen in a listing. */
export function isOnlySeen({ readAt, changedAt }: FileRecord): boolean {
  return readAt === undefined && changedAt === undefined
}

/** The known files of the log, with directories, branches and stashes. */
export interface StashEntry {
  readonly path: string
  readonly work: Version
  readonly index: Version
}

export interface FileTree {
  readonly files: BucketMap<FileRecord>
  /** Existing folders; `new` if created by a command, `all` if their full content was shown. */
  readonly folders: BucketMap<FolderRecord>
  readonly branch?: string
  /** Content of the last commit of each left branch that differs from the start. */
  readonly branches: Readonly<Record<string, readonly (readonly [string, Version])[]>>
  readonly stashes: readonly (readonly StashEntry[])[]
  readonly versions: number // number of contents written
  /** Some seen paths were forgotten, so an unknown path may exist. */
  readonly isPartial: boolean
  /** The event with git's latest report of changes. */
  readonly statusAt?: number
}

export interface FolderRecord {
  readonly path: string
  readonly isNew?: true
  readonly shown?: 'files' | 'all' // direct files, or all below
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

/** Keys with values; a change copies one bucket. Ordered by bucket, not by time. */
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

  /** Only entries with one of these values. */
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
