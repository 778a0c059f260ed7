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
export function recordOf(path: string, start: 0 | 1, isSure: boolean): FileRecord {
  const version: Version = start
  return { path, name: path, start, isSure, head: version, index: version, work: version }
}

export type FileState = 'created' | 'modified' | 'deleted' | 'renamed'

/** What became of a file since the start; undefined if nothing did, or nothing is left of it. */
export function stateOf(
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
