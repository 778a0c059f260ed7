// The client interface, the same in process and over HTTP
import type { AgentFrame, RunResult } from '../core/agent/frame.ts'
import type { Reading } from '../core/edit/change.ts'
import type { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { UserContent } from '../core/view/content.ts'
import type { UsageTotals } from '../core/window/usage.ts'
import type {
  ContextFigures,
  ContextPage,
  ContextPicture,
  EntryPlace,
  ModelCost,
  ReportFigures,
  TimelinePoint,
  ViewDiff,
} from './context-types.ts'

export type * from './context-types.ts'

/** Raised when an old client could misunderstand a new server. */
export const PROTOCOL_VERSION = 1

export interface Hello {
  readonly protocol: number
  readonly version: string // of précis
  readonly defaultModel?: string // absent: not configured
  readonly presets: readonly string[]
  readonly strategies: readonly string[]
  readonly formats: { readonly read: readonly string[]; readonly written: readonly string[] }
  /** The caller may list and open the agent sessions of this machine. */
  readonly hasSessions?: true
}

/** A session of an agent on the server's machine. */
export interface MachineSession {
  readonly id: string
  readonly agent: string
  readonly project?: string
  readonly title?: string // the first thing a person typed
  readonly bytes: number
  readonly updatedAt: Date
  readonly threadId?: string // the thread of an earlier import
}

export interface ThreadSummary {
  readonly threadId: string
  readonly title: string // as set, or the beginning of the first user message
  readonly version: number // the number of its last event
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly parent?: { readonly threadId: string; readonly seq: number }
  readonly reason?: string // of a derived thread: fork, fresh-session, import, task
  readonly isPartial?: true // its import was interrupted or is still running
  readonly importedAt?: Date
}

/** LOG-74 and LOG-75: sums over the working conversation. Interfaces draw `context`. */
export interface TokenUsageFigures {
  readonly totalPromptTokens: number
  readonly totalCompletionTokens: number
  readonly totalTokens: number
  readonly percentUsed: number
  readonly nearLimit: boolean
}

/** A thread with its figures. */
export interface ThreadDetail extends ThreadSummary {
  readonly model?: string
  readonly thinking: string
  readonly preset: string
  readonly strategy?: string // in place of the preset's
  readonly workspace?: string
  readonly isWorking: boolean
  readonly isCompacting: boolean
  readonly canUndo: boolean // a compaction
  readonly undoes?: string // the change that undo takes back, in words
  readonly canRedo: boolean
  readonly queued: number
  readonly tokenUsage?: TokenUsageFigures
  readonly context: ContextFigures
  /** All billed usage, conversation and summaries; never reset. */
  readonly billed: UsageTotals
  readonly costUsd?: number
  /** The sums of a long log are still being counted; ask again later. */
  readonly isCounting?: boolean
  /** The session file of its import, and whether the agent's new events are still added. */
  readonly file?: { readonly agent: string; readonly state: 'followed' | 'parted' }
  /** Calls that wait for approval. */
  readonly approvals: readonly Approval[]
}

export interface Approval {
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly reason: string
  /** What the call would change: lines with `+`, `-` or a blank before each. Exactly this change will run. */
  readonly diff?: string
}

export interface NewThread {
  readonly title?: string
  readonly model?: string
  readonly preset?: string
  readonly workspace?: string
}

/** The outcome of `started` and `queued` comes in frames; a command has its reply. */
export type SendReply =
  /** `threadId` is set if the turn runs in another thread because a fresh session started first. */
  | { readonly status: 'started'; readonly threadId?: string }
  | { readonly status: 'queued'; readonly messageId: string }
  | ({ readonly status: 'command' } & CommandOutcome)

export interface CommandOutcome {
  readonly command: string
  readonly ok: boolean
  readonly text: string
  readonly threadId?: string // where to continue
  readonly compaction?: RunResult
  readonly returned?: string // for the editor it came from
}

export type StreamItem =
  | { readonly kind: 'event'; readonly event: ThreadEvent }
  | { readonly kind: 'frame'; readonly frame: AgentFrame }
  /** The connection was lost and is restored. No event is missing; frames may be. */
  | { readonly kind: 'reconnected' }
  /** Disconnected; the next attempt follows after `delayMs`. `failures` counts attempts in a row. */
  | {
      readonly kind: 'waiting'
      readonly error: PrecisError
      readonly failures: number
      readonly delayMs: number
    }

export interface StrategyRequest {
  readonly strategy?: string
  readonly instructions?: string
  readonly nextPrompt?: string
}

/** A compaction that was prepared but not applied. */
export interface Preview {
  readonly previewId: string
  readonly strategy: string
  readonly basedOn: number
  readonly before: Reading
  readonly after: Reading
  readonly report: string // for people
  /** Absent if the conversation would continue in a new thread. */
  readonly figures?: ReportFigures
  /** The texts it would put into the context. Those with `isEditable` may be changed before applying. */
  readonly texts: readonly PreviewText[]
}
export interface PreviewText {
  readonly key: string
  readonly label: string
  readonly text: string
  readonly isEditable: boolean
}

export interface PinInfo {
  readonly pinId: string
  readonly text: string
  readonly by: string
}

export interface RecallHit {
  readonly ref: string
  readonly speaker: string
  readonly timestamp: Date
  readonly text: string
}

/** The full text of a ref, or the finds; `next` is where a long text continues, in characters. */
export interface Recalled {
  readonly text: string
  readonly hits: readonly RecallHit[]
  readonly next?: number
}

/** An effective setting and its layer. */
export interface SettingInfo {
  readonly key: string
  readonly value: unknown
  readonly origin: string
}

export interface ModelInfo {
  readonly ref: string
  readonly windowTokens?: number
  readonly isConfigured: boolean // its key or server exists
}

/** Every method rejects with a PrecisError: the server's own, or `unreachable`. */
export interface Client {
  hello(): Promise<Hello>
  threads(options?: {
    readonly after?: string
    readonly limit?: number
    readonly search?: string
  }): Promise<{ readonly items: readonly ThreadSummary[]; readonly next?: string }>
  createThread(thread?: NewThread): Promise<ThreadDetail>
  thread(threadId: string): Promise<ThreadDetail>
  deleteThread(threadId: string): Promise<void>
  /** All events in order, `limit` at a time. */
  events(
    threadId: string,
    range?: { readonly from?: number; readonly to?: number; readonly limit?: number },
  ): Promise<readonly ThreadEvent[]>
  /**
   * Events after `afterSeq`, then live events and frames, until the signal fires. Reconnects by itself. Each
   * failed attempt is an item; after an hour of them it rejects with the last error. Frames start at
   * `onConnected`: to see the end of a turn, send its message after that.
   */
  follow(
    threadId: string,
    afterSeq: number,
    signal: AbortSignal,
    onConnected?: () => void,
  ): AsyncIterable<StreamItem>
  /** Runs a command or sends a message; resolves once it is accepted. */
  send(threadId: string, content: UserContent): Promise<SendReply>
  resume(threadId: string): Promise<void>
  abort(threadId: string): Promise<void>
  decide(threadId: string, callId: string, decision: 'allow' | 'deny'): Promise<void>
  compact(threadId: string, request?: StrategyRequest): Promise<CommandOutcome>
  preview(threadId: string, request?: StrategyRequest): Promise<Preview>
  /** What it would change. Only the process that made the preview knows. */
  previewDiff(threadId: string, previewId: string): Promise<ViewDiff>
  /** Rejects with `stale` if the entries it covers have changed since. */
  applyPreview(
    threadId: string,
    previewId: string,
    texts?: Readonly<Record<string, string>>,
  ): Promise<CommandOutcome>
  dropPreview(threadId: string, previewId: string): Promise<void>
  undo(threadId: string, compaction?: number): Promise<void>
  redo(threadId: string): Promise<void>
  fork(threadId: string, seq?: number): Promise<ThreadDetail>
  pins(threadId: string): Promise<readonly PinInfo[]>
  pin(threadId: string, text: string): Promise<PinInfo>
  unpin(threadId: string, pinId: string): Promise<void>
  recall(
    threadId: string,
    asked: { readonly query: string } | { readonly ref: string; readonly offset?: number },
  ): Promise<Recalled>
  contextPicture(threadId: string): Promise<ContextPicture>
  /** The context entries as the model sees them, starting at index `from`. */
  contextEntries(
    threadId: string,
    range?: { readonly from?: number; readonly limit?: number },
  ): Promise<ContextPage>
  /** Where the entries of `limit` events are now, starting at number `from`. */
  places(
    threadId: string,
    range?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly EntryPlace[]>
  /** All billed usage, by model. */
  cost(threadId: string): Promise<readonly ModelCost[]>
  /** The size of the context over time, with every compaction. */
  timeline(threadId: string): Promise<readonly TimelinePoint[]>
  diff(threadId: string, compaction: number): Promise<ViewDiff>
  report(
    threadId: string,
    compaction: number,
  ): Promise<{ readonly text: string; readonly figures: ReportFigures }>
  models(): Promise<readonly ModelInfo[]>
  settings(): Promise<readonly SettingInfo[]>
  change(
    threadId: string,
    settings: Readonly<Partial<Record<'model' | 'thinking' | 'preset' | 'strategy', string>>>,
  ): Promise<ThreadDetail>
  /** Writes the thread in a given format: markdown, html, claude-code, … */
  exportThread(threadId: string, format: string): Promise<string>
  importThread(content: string, options?: { readonly format?: string }): Promise<ThreadDetail>
  /** The agent sessions on the server's machine, newest first; with `isPartial`, a later call finds more. */
  sessions(options?: { readonly search?: string; readonly limit?: number }): Promise<{
    readonly items: readonly MachineSession[]
    readonly total: number
    readonly isPartial?: true
  }>
  /** Imports what is new in it. Its thread then follows the file while the thread has subscribers. */
  openSession(id: string): Promise<ThreadDetail>
  /** Paths in the thread's folder that begin with the typed text, or contain it. */
  files(threadId: string, typed: string): Promise<readonly string[]>
}
