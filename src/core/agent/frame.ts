// Frames: what an agent reports while it works. They are never stored; the log has what lasts.
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

/** How a turn ended. `waiting`: a compaction asked to wait for the user. */
export type TurnEnd = 'done' | 'waiting' | 'aborted' | 'failed' | 'step-limit'

/** One run of a compaction. */
export interface RunInfo {
  readonly runId: string
  readonly trigger: Trigger
  readonly strategy: string // the one that runs, after a fallback the fallback
}

/** The end of a run: exactly one for each start. */
export interface RunResult extends RunInfo {
  readonly success: boolean
  /** Only `committed` changed the context or opened a new thread. */
  readonly end: 'committed' | 'nothing' | 'refused' | 'vetoed' | 'aborted' | 'failed'
  readonly durationMs: number
  readonly event?: EventOf<'COMPACTION'>
  /** The thread that continues the conversation, opened with this summary; this one is unchanged. */
  readonly fresh?: {
    readonly threadId: string
    readonly summary: string
    readonly replacedFor?: string // why a brief took the place of the model's summary
  }
  readonly error?: PrecisError // why it failed
  readonly before?: Reading
  readonly after?: Reading
  readonly tokensSaved?: number // never below 0; absent if unknown
  readonly usage?: TokenUsage // cost of the summaries, failed attempts included
  readonly costUsd?: number
  readonly report?: CompactionReport // only if this process committed it
}

/** The progress of a run: its chunks, and the user's next message, if any. */
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
  /** Discards the answer so far: it is requested again. */
  | FrameOf<'answer-restart', { reason: string }>
  /** A transient failure: the model is asked again after the pause. */
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
  /** Undelivered messages after a failed turn, returned to their editor. */
  | FrameOf<'messages-returned', { messages: readonly UserContent[] }>
  | FrameOf<'reading', { reading: Reading; windowTokens?: number }>
  | FrameOf<'notice', { level: 'info' | 'warning'; message: string }>
  /** LOG: other activity than an answer, described for people; and its end. */
  | FrameOf<'agent_thinking_start', { message: string }>
  | FrameOf<'agent_thinking_complete'>
  | FrameOf<'error', { error: Error; context: { operation: string; threadId: string } }>
  | FrameOf<'COMPACTION_START', RunInfo & { message: string }>
  | FrameOf<'COMPACTION_PROGRESS', RunInfo & RunProgress>
  | FrameOf<'COMPACTION_COMPLETE', RunResult>

export type FrameListener = (frame: AgentFrame) => void

/** A frame without its time, which the hub adds. */
export type FrameDraft = AgentFrame extends infer F
  ? F extends AgentFrame
    ? Omit<F, 'timestamp'>
    : never
  : never
