// The status around a transcript: activity, queue, pending question
import type { RunProgress } from '../core/agent/frame.ts'
import type { Approval } from './client.ts'

export interface Activity {
  readonly what: string
  readonly since: Date
  /** Of the part that it does now, and how many there are. */
  readonly done?: number
  readonly total?: number
}

export interface Queued {
  readonly messageId: string
  readonly text: string
}

export interface ViewStatus {
  readonly isWorking: boolean
  /** Absent if nothing is going on. */
  readonly activity?: Activity
  readonly compaction?: Activity & { readonly strategy: string }
  readonly queued: readonly Queued[]
  readonly approvals: readonly Approval[]
}

export const IDLE: ViewStatus = { isWorking: false, queued: [], approvals: [] }

/** The part of a status that a step of a compaction changes. */
export function progressOf(
  started: Activity & { readonly strategy: string },
  { message, done, total }: RunProgress,
): Activity & { readonly strategy: string } {
  return {
    what: message,
    since: started.since,
    strategy: started.strategy,
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
  }
}
