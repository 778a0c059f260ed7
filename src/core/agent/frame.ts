// Frames: what an agent says while it works. They pass by and are never stored; what lasts is in the log.
import type { Reading, Trigger } from '../edit/change.ts'
import type { CompactionReport } from '../edit/report.ts'
import type { PrecisError } from '../errors.ts'
import type { EventOf } from '../log/event.ts'
import type { ModelRetry } from '../model.ts'
import type { TokenUsage, ToolStatus, UserContent } from '../view/content.ts'

interface Envelope<T extends string> {
  readonly type: T
  readonly threadId: string
  readonly timestamp: Date
}
type FrameOf<T extends string, D = object> = Envelope<T> & Readonly<D>

/** How a turn came to its end. `waiting`: a compaction asked to wait for the user. */
export type TurnEnd = 'done' | 'waiting' | 'aborted' | 'failed' | 'step-limit'

/** One run of a compaction. */
export interface RunInfo {
  readonly runId: string
  readonly trigger: Trigger
  readonly strategy: string // the one that really runs; after a fallback, that one
}

/** The last word on a run: there is exactly one for each start, from every path. */
export interface RunResult extends RunInfo {
  readonly success: boolean
  /** Only `committed` has changed the context, or opened a new thread. `nothing`: there was nothing to do. */
  readonly end: 'committed' | 'nothing' | 'refused' | 'vetoed' | 'aborted' | 'failed'
  readonly durationMs: number
  readonly event?: EventOf<'COMPACTION'>
  /** The thread in which the conversation continues, opened by this summary; here nothing was changed. */
  readonly fresh?: {
    readonly threadId: string
    readonly summary: string
    readonly replacedFor?: string // why a brief took the place of the model's summary
  }
  readonly error?: PrecisError // why it did not succeed
  readonly before?: Reading
  readonly after?: Reading
  readonly tokensSaved?: number // never below 0; absent if unknown
  readonly usage?: TokenUsage // what the summaries cost, failed attempts included
  readonly costUsd?: number
  readonly report?: CompactionReport // of what this process has committed itself
}

/** How far a run is: its chunks, where it has such, and what the user says next, where that is known. */
export interface RunProgress {
  readonly message: string
  readonly share?: number // 0 to 1
  readonly done?: number
  readonly total?: number
  readonly nextPrompt?: string
}

export type AgentFrame =
  | FrameOf<'turn-start'>
  | FrameOf<'turn-end', { end: TurnEnd; error?: PrecisError }>
  | FrameOf<'text-delta' | 'thinking-delta', { text: string }>
  /** What came of this answer so far counts no more: it is asked for again. */
  | FrameOf<'answer-restart', { reason: string }>
  /** The model failed in passing, and is asked again after the pause. */
  | FrameOf<'model-retry', ModelRetry>
  | FrameOf<'answer-end', { seq: number }>
  | FrameOf<'tool-start', { callId: string; name: string; subject: string }>
  | FrameOf<'tool-progress', { callId: string; text: string }>
  | FrameOf<'tool-end', { callId: string; name: string; status: ToolStatus }>
  | FrameOf<
      'approval-request',
      { callId: string; name: string; subject: string; reason: string; diff?: string }
    >
  | FrameOf<'message-queued' | 'message-delivered', { messageId: string }>
  /** Messages that were not delivered because the turn failed: for the editor they came from. */
  | FrameOf<'messages-returned', { messages: readonly UserContent[] }>
  | FrameOf<'reading', { reading: Reading; windowTokens?: number }>
  | FrameOf<'notice', { level: 'info' | 'warning'; message: string }>
  /** LOG: something is going on that is not an answer, in words for people; and that it is over. */
  | FrameOf<'agent_thinking_start', { message: string }>
  | FrameOf<'agent_thinking_complete'>
  | FrameOf<'error', { error: Error; context: { operation: string; threadId: string } }>
  | FrameOf<'COMPACTION_START', RunInfo & { message: string }>
  | FrameOf<'COMPACTION_PROGRESS', RunInfo & RunProgress>
  | FrameOf<'COMPACTION_COMPLETE', RunResult>

export type FrameListener = (frame: AgentFrame) => void

/** A frame as its author writes it; the hub adds the time. */
export type FrameDraft = AgentFrame extends infer F
  ? F extends AgentFrame
    ? Omit<F, 'timestamp'>
    : never
  : never
