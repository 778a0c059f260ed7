// What one of several processes says when it is done.

/** The thread that all append to, and those of one process alone. */
export const TOGETHER = 'together'
export const OWN = (name: string): string => `own-${name}`

export interface CrowdReport {
  /** What was confirmed to it, by thread, in its order. */
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly conflicts: number
  readonly compactions: number
}
