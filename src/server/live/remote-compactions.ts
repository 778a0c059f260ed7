// Compactions of other processes, reported to local subscribers from their stored events
import type { AgentFrame, RunInfo } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { Row } from '../../core/ports.ts'

interface FramesAround {
  readonly before?: AgentFrame
  readonly after?: AgentFrame
}

/** LOG-77, LOG-78: one start and one end for each, also if only the outcome came through the store. */
export function framesAround(row: Row, isOwnRun: (runId: string) => boolean): FramesAround {
  if (row.type !== 'COMPACTION' && row.type !== 'COMPACTION_FAILED') return {}
  const event = readRow(row)
  if (event.type !== 'COMPACTION' && event.type !== 'COMPACTION_FAILED') return {}
  const { threadId, timestamp, data } = event
  // What came in with a file was run long ago, by someone else.
  if (isOwnRun(data.runId) || ('trigger' in data && data.trigger === 'import')) return {}
  const run: RunInfo = {
    runId: data.runId,
    strategy: data.strategyId,
    trigger: 'trigger' in data ? data.trigger : 'command',
  }
  const at = { threadId, timestamp }
  const message = 'Another process compacts this thread.'
  const start: AgentFrame = { type: 'COMPACTION_START', ...at, ...run, message }
  const ended = { type: 'COMPACTION_COMPLETE', ...at, ...run, durationMs: 0 } as const
  if (event.type === 'COMPACTION_FAILED') {
    const error = new PrecisError('gate-refused', event.data.reason)
    return { before: start, after: { ...ended, success: false, end: 'failed', error } }
  }
  const { before, after } = event.data
  const saved = savedTokens(before?.tokens, after?.tokens)
  return {
    before: start,
    after: {
      ...ended,
      success: true,
      end: 'committed',
      ...(before && { before }),
      ...(after && { after }),
      ...(saved !== undefined && { tokensSaved: saved }),
    },
  }
}

function savedTokens(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : Math.max(0, before - after)
}
