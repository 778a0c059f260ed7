// Frames: what an agent says while it works. They pass by and are never stored; what lasts is in the log.
// The inbox: messages that wait until an agent may take them up. Durable, and each delivered once.
// The tool port: schema, effects, permission and result
import type { Reading, Trigger } from '../edit/change.ts'
import type { CompactionReport } from '../edit/report.ts'
import type { PrecisError } from '../errors.ts'
import type { EventDraft, EventOf, ThreadEvent } from '../log/event.ts'
import type { ModelRetry, ToolSchema } from '../model.ts'
import type { Reducer, Signal } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { Block, TokenUsage, ToolStatus, UserContent } from '../view/content.ts'

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

export interface QueuedMessage {
  readonly messageId: string
  readonly content: UserContent
  readonly queuedAt: string // ISO 8601
}
export type Inbox = readonly QueuedMessage[]

/**
 * What waits, oldest first. A USER_MESSAGE whose event id is that of a queued message is its delivery:
 * a store takes an id only once, so a message cannot be delivered twice.
 */
export const inboxReducer: Reducer<Inbox> = {
  name: 'inbox',
  version: 2,
  init: () => [],
  step(inbox: Inbox, event: ThreadEvent): Inbox {
    if (event.type === 'MESSAGE_QUEUED') {
      const { messageId, content } = event.data
      if (content === undefined) return inbox
      const queuedAt = event.timestamp.toISOString()
      return [...without(inbox, messageId), { messageId, content, queuedAt }]
    }
    if (inbox.length === 0) return inbox
    if (event.type === 'MESSAGE_WITHDRAWN') return without(inbox, event.data.messageId)
    return event.type === 'USER_MESSAGE' ? without(inbox, event.id) : inbox
  },
  encode: (inbox) => inbox as unknown as Json,
  decode(json) {
    if (!Array.isArray(json) || !json.every(isQueued)) throw new TypeError('no list of messages')
    return json as unknown as Inbox
  },
}

/** What delivers a message. */
export function delivery({ messageId, content }: QueuedMessage): EventDraft {
  return { type: 'USER_MESSAGE', id: messageId, data: content, origin: 'typed' }
}

function without(inbox: Inbox, messageId: string): Inbox {
  return inbox.some((message) => message.messageId === messageId)
    ? inbox.filter((message) => message.messageId !== messageId)
    : inbox
}

function isQueued(json: Json): boolean {
  if (typeof json !== 'object' || json === null) return false
  return 'messageId' in json && 'content' in json && 'queuedAt' in json
}

/** What a tool touches: this decides who must be asked before it runs. */
export type ToolEffect = 'none' | 'read' | 'write' | 'run'

export interface Tool extends ToolSchema {
  readonly effect: ToolEffect
  /** May run beside others of the same answer; the rest run one after the other, in order. */
  readonly isParallel: boolean
  /**
   * What a call is about, in short: a path, or a command as it is. Patterns of approval match it, and it is
   * what people are shown. The input may be anything: it is not checked yet.
   */
  subjectOf(input: Json): string
  /**
   * Where a path of the input leads, links followed. Patterns must allow it as well as the subject, and
   * the tool opens nothing else: the same is given to `run`.
   */
  targetOf?(input: Json): string
  /** Why such an input is never run, if it is not: then nobody is asked about it. */
  problemOf?(input: Json): string | undefined
  /** What the call would change as things are now, for whoever is asked. Undefined: nothing can be told. */
  changeOf?(input: Json, target?: string): Promise<ProposedChange | undefined>
  /**
   * Never rejects for what the model or the workspace did wrong: that is a failed outcome with a
   * sentence the model can act on. An aborted signal ends it soon, with an `aborted` outcome.
   */
  run(input: Json, call: ToolRun): Promise<ToolOutcome>
}

export interface ProposedChange {
  /** Lines with `+`, `-` or a blank before each; of bounded length. */
  readonly diff: string
  /** The state that it was compared with; `run` refuses another. */
  readonly seen: string
}

/** The call that a tool answers. */
export interface ToolRun {
  readonly threadId: string
  readonly callId: string
  readonly signal: Signal
  /** What was allowed, where the tool has a `targetOf`. */
  readonly target?: string
  /** What `changeOf` said when the call was allowed. */
  readonly seen?: string
  /** Shown while it runs, never stored. */
  onProgress?(text: string): void
}

export interface ToolOutcome {
  readonly status: ToolStatus
  readonly content: readonly Block[] // in full, as the log keeps it
  /** What the model sees, where the whole is too long; a ref to the whole is added when it is built. */
  readonly shown?: readonly Block[]
  readonly metadata?: Json
  /** What models used on its behalf were billed. */
  readonly tokenUsage?: TokenUsage
}

/** What an agent asks of its `compact` tool, in either form (docs/spec/conflicts.md, C2). */
export type ReplacementRequest =
  | {
      readonly mode: 'ranges'
      readonly replacements: readonly {
        readonly from?: string
        readonly to?: string
        readonly summary: string
      }[]
    }
  | {
      readonly mode: 'summary'
      readonly summary: string
      readonly contextFiles?: readonly string[]
      readonly continuation?: string
    }
