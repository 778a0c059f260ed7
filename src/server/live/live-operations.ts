// The activity of one process at a moment, and the difference between two moments as frames
import type { AgentFrame, TurnEnd } from '../../core/agent/frame.ts'
import type { Approval } from '../../protocol/client.ts'

export interface Doings {
  readonly working: readonly string[] // threads on which a turn runs
  readonly compacting: readonly string[]
  readonly approvals: readonly (Approval & { readonly threadId: string })[]
  /** Turns that came to their end since it was said last. */
  readonly ended: readonly { readonly threadId: string; readonly end: TurnEnd }[]
}

export const NOTHING_DONE: Omit<Doings, 'ended'> = { working: [], compacting: [], approvals: [] }

/**
 * Compactions are not among them: followers are told of those by what is stored. A question that is gone
 * was answered; a turn of which no end was told was left by a process that died.
 */
export function framesBetween(before: Doings, now: Doings, timestamp: Date): AgentFrame[] {
  const frames: AgentFrame[] = []
  for (const threadId of now.working)
    if (!before.working.includes(threadId)) frames.push({ type: 'turn-start', threadId, timestamp })
  for (const approval of now.approvals)
    if (!before.approvals.some((each) => isSame(each, approval)))
      frames.push({ type: 'approval-request', timestamp, ...approval })
  for (const approval of before.approvals) {
    const { threadId, callId, name, subject } = approval
    if (now.approvals.some((each) => isSame(each, approval))) continue
    frames.push({ type: 'tool-start', threadId, timestamp, callId, name, subject })
  }
  for (const threadId of before.working) {
    if (now.working.includes(threadId)) continue
    const end = now.ended.findLast((each) => each.threadId === threadId)?.end ?? 'aborted'
    frames.push({ type: 'turn-end', threadId, timestamp, end })
  }
  return frames
}

function isSame(one: Doings['approvals'][number], other: Doings['approvals'][number]): boolean {
  return one.threadId === other.threadId && one.callId === other.callId
}
