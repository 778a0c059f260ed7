// What one of several processes says when it is done.
import { createHash } from 'node:crypto'

/** The thread that all append to, and those of one process alone. */
export const TOGETHER = 'together'
export const OWN = (name: string): string => `own-${name}`

export interface CrowdReport {
  /** What was confirmed to it, by thread, in its order. */
  readonly ids: Readonly<Record<string, readonly string[]>>
  /** What it saw of the thread that all append to, as it followed that. */
  readonly followed: Seen
  readonly conflicts: number
  readonly compactions: number
}

export interface Seen {
  readonly count: number
  readonly hash: string
}

/** Ids in their order, in few characters. */
export function seenOf(ids: readonly string[]): Seen {
  return { count: ids.length, hash: createHash('sha256').update(ids.join('\n')).digest('hex') }
}
