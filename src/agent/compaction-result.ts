// How a run of a compaction ended, and what is told of it.
import type { TokenUsage } from '../core/content.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventOf } from '../core/event.ts'
import type { CompactionResult, CompactionRunInfo } from '../core/frame.ts'
import type { CompactionReport } from '../core/report.ts'
import type { FreshThread } from './fresh-session.ts'
import type { AgentModel } from './ports.ts'

export type Ended =
  | {
      readonly end: 'committed'
      readonly event: EventOf<'COMPACTION'>
      /** Absent where another process has committed it. */
      readonly report?: CompactionReport
    }
  | { readonly end: 'committed'; readonly fresh: FreshThread }
  | { readonly end: 'refused' | 'vetoed' | 'aborted' | 'failed'; readonly error: PrecisError }

export interface EndedRun {
  readonly info: CompactionRunInfo
  readonly ended: Ended
  readonly durationMs: number
  /** Who was asked for the summaries; absent where that is not known. */
  readonly model?: Pick<AgentModel, 'costOf'> | undefined
  /** What all attempts cost, also of a run that came to nothing. */
  readonly spent?: TokenUsage | undefined
}

export function resultOf({ info, ended, durationMs, model, spent }: EndedRun): CompactionResult {
  const base = { ...info, success: ended.end === 'committed', end: ended.end, durationMs }
  const costUsd = spent && model?.costOf(spent)
  const cost = { ...(spent && { usage: spent }), ...(costUsd !== undefined && { costUsd }) }
  if (ended.end !== 'committed') return { ...base, error: ended.error, ...cost }
  if ('fresh' in ended) {
    const { threadId, summary } = ended.fresh
    return { ...base, fresh: { threadId, summary }, ...cost }
  }
  const { event, report } = ended
  const { before, after } = event.data
  const saved =
    before?.tokens === undefined || after?.tokens === undefined
      ? undefined
      : Math.max(0, before.tokens - after.tokens)
  return {
    ...base,
    event,
    ...(before && { before }),
    ...(after && { after }),
    ...(saved !== undefined && { tokensSaved: saved }),
    ...cost,
    ...(report && { report }),
  }
}

export function refused(message: string, reason: string): Ended {
  return {
    end: 'refused',
    error: new PrecisError('gate-refused', message, { details: { reason } }),
  }
}
