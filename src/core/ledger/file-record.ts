// One file in the ledger: at the start, in the last commit, in the index, on disk; and what was done to it

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

/** A path as it is written in a call. `glob` where the shell puts the files in that match it. */
export interface Target {
  readonly name: string
  readonly glob?: true
  /** Put together by the shell: it stands nowhere in the call as it is. */
  readonly isComposed?: true
}

/** The file that the tool has open: its result says which. */
export const OPEN_FILE: Target = { name: '' }

export type FileOperation =
  | { readonly op: 'read'; readonly path: Target }
  /** The file is there afterwards, with other content; `isNew` where the tool says what it was before. */
  | { readonly op: 'write'; readonly path: Target; readonly isNew?: boolean }
  /** Changed in part: it was there before. */
  | { readonly op: 'edit'; readonly path: Target }
  /** Content is added, to a new file too. */
  | { readonly op: 'append'; readonly path: Target }
  /** There afterwards; what is there already stays as it is. */
  | { readonly op: 'touch'; readonly path: Target }
  | {
      readonly op: 'delete'
      readonly path: Target
      readonly isDeep?: true
      /** It is no failure if nothing is there. */
      readonly isForced?: true
    }
  | {
      readonly op: 'move' | 'copy'
      readonly path: Target
      readonly to: Target
      readonly into?: true
      /** What is in the folder, and not the folder itself. */
      readonly isContents?: true
    }
  | { readonly op: 'folder'; readonly path: Target; readonly isNew?: true }
  | { readonly op: 'cd'; readonly path: Target; readonly stack?: 'push' | 'pop' }
  | GitOperation

export type GitOperation =
  | { readonly op: 'git-add'; readonly paths: readonly Target[]; readonly tracked?: true }
  | { readonly op: 'git-unstage'; readonly paths: readonly Target[] }
  | { readonly op: 'git-restore'; readonly paths: readonly Target[]; readonly fromHead?: true }
  | { readonly op: 'git-forget'; readonly paths: readonly Target[] }
  | {
      readonly op: 'git-commit'
      readonly all?: true
      readonly paths: readonly Target[]
    }
  | { readonly op: 'git-reset-hard' }
  | { readonly op: 'git-stash'; readonly untracked?: true }
  | { readonly op: 'git-unstash'; readonly keep?: true }
  | { readonly op: 'git-drop' }
  | { readonly op: 'git-clean' }
  | { readonly op: 'git-switch'; readonly branch: string; readonly isNew?: true }

/** Two commands and what stands between them. */
export type Joint = ';' | '&&' | '||' | '|'

/** One simple command of a shell, with what it would do. */
export interface Step {
  readonly program: string
  readonly joint: Joint // to the step before
  readonly operations: readonly FileOperation[]
  /** Redirections: the shell makes these files before the command begins, whatever becomes of it. */
  readonly opened: readonly FileOperation[]
  /** In a branch or a loop: nobody sees whether it ran. */
  readonly isMaybe?: true
  /** It may change files in a way that its text does not tell. */
  readonly isUnclear?: true
  /** Its complaints are not shown. */
  readonly isMuted?: true
  /** What its output tells of the folder. */
  readonly shows?: Shows
  /** Begins or ends a subshell, which has a working directory of its own. */
  readonly shell?: 'begin' | 'end'
}

/** What the lines of an output are: paths (`isPartly`: there may be others), or what git says of them. */
export type Shows =
  | {
      readonly kind: 'paths'
      readonly folder: string
      readonly isDeep: boolean
      readonly isPartly?: true
      readonly isBare?: true // names within the folder, not paths from here
    }
  | { readonly kind: 'status' }
  | { readonly kind: 'branch' }
  | { readonly kind: 'folder' }

// Paths as text: put together, made short, seen from the folder that the work is about.

/** Beyond this it is not a path that a person or an agent wrote. */
export const LONGEST_PATH_CHARS = 1_024

/** Where a path leads, seen from a folder; both may be absolute. Home folders are left as they are written. */
export function resolvePath(folder: string, path: string): string {
  return normalPath(isAbsolute(path) || folder === '' ? path : `${folder}/${path}`)
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path)
}

/** Without `.`, `..` and doubled slashes; the folder itself is the empty path. */
export function normalPath(path: string): string {
  const slashed = /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path
  const parts: string[] = []
  for (const part of slashed.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return `${slashed.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

/** Seen from the root where it lies below it, else as it is. */
export function fromRoot(root: string | undefined, path: string): string {
  if (root === undefined || root === '') return path
  if (path === root) return ''
  return isBelow(path, root) ? path.slice(root === '/' ? 1 : root.length + 1) : path
}

/** In the folder or deeper; everything that is not elsewhere lies below the empty path. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === '') return !isAbsolute(path) && !path.startsWith('..')
  return path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

export function readFolder(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? path.slice(0, end + 1) : path.slice(0, end)
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder === '/' ? '' : folder}/${name}`
}
